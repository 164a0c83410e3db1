/** A picture of the application: its pods, their connections, the public ones, and their states. */
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { Disk, Globe } from '../parts/icons.tsx';
import { Link } from '../routing/router.tsx';
import type { PodState } from '../service/records.ts';
import { drawHead, drawLine, hasFoot, type Layout, layOut, scaleFor, visitors, wholeScale } from './layout.ts';
import { useZoom, type Zoom } from './use-zoom.ts';
import './picture.css';

type PictureProps = {
  pods: readonly PodOutline[];
  states?: readonly PodState[] | undefined;
  /** The frame has a height of its own; otherwise it is as high as the picture. */
  hasFixedHeight?: boolean;
  /** Returns the link of a pod. */
  linkOf?: (pod: string) => string;
  /** Called when the user chooses a pod, if the pod is not a link. */
  onPod?: ((pod: string) => void) | undefined;
  /** The pod that is written at. */
  marked?: string | undefined;
};

export function Picture({ pods, states, hasFixedHeight = false, linkOf, onPod, marked }: PictureProps) {
  const frame = useRef<HTMLElement>(null);
  const size = useSize(frame, hasFixedHeight);
  const hasStates = states !== undefined;
  const layouts = useMemo(
    () => (['across', 'down'] as const).map((direction) => layOut(pods, direction, hasStates)),
    [pods, hasStates],
  );
  const layout = fitting(layouts, size);
  const scales = { usual: scaleFor(layout, size), whole: wholeScale(layout, size) };
  const zoom = useZoom(frame, scales);
  const { scale } = zoom;
  const isLarger = layout.width * scale > size.width || layout.height * scale > size.height;
  return (
    <div className="picture-frame">
      <figure
        className="picture"
        ref={frame}
        aria-label="Picture of the application"
        tabIndex={isLarger ? 0 : undefined}
        onPointerDown={zoom.onPointerDown}
      >
        <div className="sheet" style={{ width: layout.width, height: layout.height, zoom: scale }}>
          <Lines layout={layout} />
          <ul>
            {layout.boxes.has(visitors) && (
              <li style={placeOf(layout, visitors)}>
                <span className="visitors-box">
                  <Globe />
                  {visitors}
                </span>
              </li>
            )}
            {pods.map((pod) => (
              <li key={pod.name} style={placeOf(layout, pod.name)}>
                <Pod
                  pod={pod}
                  state={states?.find(({ name }) => name === pod.name)}
                  to={linkOf?.(pod.name)}
                  onChoose={onPod}
                  isMarked={pod.name === marked}
                />
              </li>
            ))}
          </ul>
        </div>
      </figure>
      {(zoom.whole || zoom.usual) && <ZoomButtons zoom={zoom} />}
    </div>
  );
}

/** Not needed if the whole picture is visible at its usual scale. */
function ZoomButtons({ zoom: { larger, smaller, whole, usual } }: { zoom: Zoom }) {
  return (
    <div className="picture-zoom">
      {whole ? (
        <button type="button" className="button compact" onClick={whole}>
          Fit
        </button>
      ) : (
        usual && (
          <button type="button" className="button compact" onClick={usual}>
            Readable
          </button>
        )
      )}
      <button type="button" className="button compact icon" onClick={smaller} aria-label="Smaller">
        −
      </button>
      <button type="button" className="button compact icon" onClick={larger} aria-label="Larger">
        +
      </button>
    </div>
  );
}

/** Returns the layout that must shrink less. */
function fitting([across, down]: readonly Layout[], size: { width: number; height: number }): Layout {
  const isAcross = across!.width <= size.width || wholeScale(across!, size) > wholeScale(down!, size);
  return isAcross ? across! : down!;
}

type PodProps = {
  pod: PodOutline;
  state: PodState | undefined;
  to: string | undefined;
  onChoose: ((pod: string) => void) | undefined;
  isMarked: boolean;
};

function Pod({ pod, state, to, onChoose, isMarked }: PodProps) {
  const content = (
    <>
      <span className="name">
        <span title={pod.name}>{pod.name}</span>
        {state && (
          <span className="state" title={state.message}>
            {state.state}
          </span>
        )}
      </span>
      <span className="image" title={pod.image}>
        {pod.image.split('/').at(-1)}
      </span>
      {hasFoot(pod) && (
        <span className="foot">
          {pod.volumes.length > 0 && <Disk />}
          <span>{footOf(pod)}</span>
        </span>
      )}
      <span className="spoken">{relationsOf(pod)}</span>
    </>
  );
  const className = ['pod-box', state?.state, isMarked && 'marked'].filter(Boolean).join(' ');
  if (to !== undefined) {
    return (
      <Link to={to} className={className}>
        {content}
      </Link>
    );
  }
  if (!onChoose) return <span className={className}>{content}</span>;
  return (
    <button type="button" className={className} onClick={() => onChoose(pod.name)} aria-pressed={isMarked}>
      {content}
    </button>
  );
}

function footOf({ volumes, replicas, resourceType }: PodOutline): string {
  const parts = [
    ...volumes.map(({ name, size }) => `${name}, ${size}`).slice(0, 1),
    ...(volumes.length > 1 ? [`and ${volumes.length - 1} more`] : []),
    ...(replicas > 1 ? [`× ${replicas}`] : []),
    ...(resourceType === 'deployment' ? [] : [resourceType]),
  ];
  return parts.join(' · ');
}

/** The lines of the picture, in words. */
function relationsOf({ paths, uses }: PodOutline): string {
  const parts = [
    ...(paths.length > 0 ? [`public at ${paths.join(', ')}`] : []),
    ...(uses.length > 0 ? [`uses ${uses.join(', ')}`] : []),
  ];
  return parts.length > 0 ? `, ${parts.join('; ')}` : '';
}

function Lines({ layout }: { layout: Layout }) {
  return (
    <svg className="lines-sheet" width={layout.width} height={layout.height} aria-hidden="true">
      {layout.lines.map(({ from, to, points, label }) => (
        <g key={`${from} ${to}`} className={from === visitors ? 'route' : undefined}>
          <path d={drawLine(points)} />
          <path className="head" d={drawHead(points)} />
          {label && (
            <text x={label.x} y={label.y}>
              {label.text}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

function placeOf({ boxes }: Layout, name: string) {
  const { x, y, width, height } = boxes.get(name)!;
  return { left: x, top: y, width, height };
}

/** Returns the available size. Unlimited before it is known. */
function useSize(frame: RefObject<HTMLElement | null>, hasFixedHeight: boolean): { width: number; height: number } {
  const [size, setSize] = useState({ width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY });
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth: width, clientHeight } = frame.current!;
      const height = hasFixedHeight ? clientHeight : Number.POSITIVE_INFINITY;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [frame, hasFixedHeight]);
  return size;
}
