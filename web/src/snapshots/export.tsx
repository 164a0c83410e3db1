/** Exports everything that is needed to run the application elsewhere, as a file. */
import { useEffect, useRef, useState } from 'react';
import { printBytes } from '../../../src/config/values/units.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { openExport, type Target } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';
import { canChooseSaveLocation, chooseSaveLocation, saveResponse } from './save-file.ts';

export function ExportPanel({ target, hasVolumes }: { target: Target; hasVolumes: boolean }) {
  const [isWithSecrets, setIsWithSecrets] = useState(false);
  const [isWithoutVolumes, setIsWithoutVolumes] = useState(false);
  /** Received bytes. Undefined without an export. */
  const [received, setReceived] = useState<number>();
  const [problem, setProblem] = useState<Omit<Problem, 'status'>>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const save = async () => {
    setProblem(undefined);
    const name = `${target.applicationName}.tar`;
    // Browsers allow this only directly after a click, so before the service has copied the volumes.
    const place = await chooseSaveLocation(name);
    if (place === 'declined') return;
    const ending = new AbortController();
    stop.current = ending;
    setReceived(0);
    const wanted = { secrets: isWithSecrets, volumes: !isWithoutVolumes };
    const answer = await openExport(target, wanted, ending.signal);
    const saved = await saveResponse(answer, { name, place, signal: ending.signal, onBytes: setReceived });
    setReceived(undefined);
    if (ending.signal.aborted) return;
    if (saved.ok) showToast(`${name} is saved: unpack it, and read its README.md.`);
    else setProblem(saved.problem);
  };

  return (
    <section className="panel padded stack" aria-label="Export">
      <div className="row">
        <h2>Export</h2>
        {received === undefined ? (
          <button type="button" className="button compact push" onClick={() => void save()}>
            Export
          </button>
        ) : (
          <button type="button" className="button compact push" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        )}
      </div>
      <p className="small">
        One tar that runs with Docker Compose, on Kubernetes or on another Berth. It contains the configuration, the
        data of all volumes at one instant, and the images that were pushed here. Its README.md contains the
        instructions.
      </p>
      <div className="export-choice">
        <label className="check">
          <input
            type="checkbox"
            checked={isWithSecrets}
            disabled={received !== undefined}
            onChange={({ target }) => setIsWithSecrets(target.checked)}
          />
          With secrets
        </label>
        {hasVolumes && (
          <label className="check">
            <input
              type="checkbox"
              checked={isWithoutVolumes}
              disabled={received !== undefined}
              onChange={({ target }) => setIsWithoutVolumes(target.checked)}
            />
            Without volumes
          </label>
        )}
      </div>
      {isWithSecrets && (
        <p className="small">The file will contain passwords and keys: keep it where only you can read it.</p>
      )}
      {received !== undefined && (
        <p className="notice calm small" role="status">
          {received === 0 ? 'Preparing …' : `${printBytes(received)} so far.`} Stay on this tab until it is done.
        </p>
      )}
      {!canChooseSaveLocation() && hasVolumes && !isWithoutVolumes && (
        <p className="small soft">
          This browser collects the file before it is saved. If the volumes have many GB, use{' '}
          <code>berth export all</code>, which streams the file to the disk.
        </p>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </section>
  );
}
