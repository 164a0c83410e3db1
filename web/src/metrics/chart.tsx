/**
 * Line charts of the last hour or day: drawn without a library, read with the pointer, and described as text for screen
 * readers.
 */
import { type PointerEvent, useState } from 'react';
import type { Print } from '../../../src/config/values/measures.ts';
import { printMoment } from '../parts/time.ts';
import { areaOf, type Line, maxOf, pathOf, thinned, topOf, type Unit } from './scale.ts';

/** Maximum number of points of a line. */
const maxPoints = 120;

export type ChartLine = { name: string; tone: 'sea' | 'warn' | 'alarm' | 'ready'; values: Line; now: number | null };

type ChartProps = {
  title: string;
  lines: readonly ChartLine[];
  print: Print;
  /** The minimum upper end of the chart. */
  least: number;
  unit?: Unit;
  /** The maximum allowed value. */
  limit?: { value: number; text: string } | undefined;
  /** Epoch milliseconds of the first value, and between two. */
  from: number;
  stepMs: number;
  /** Shown if no value exists. */
  nothing?: string;
};

export function Chart({
  title,
  lines,
  print,
  least,
  unit = 'plain',
  limit,
  from,
  stepMs,
  nothing = 'Nothing measured yet',
}: ChartProps) {
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const shown = lines.map((line) => ({ ...line, values: thinned(line.values, maxPoints) }));
  const points = shown[0]?.values.length ?? 0;
  // Leaves space above the highest value for the labels of the scale.
  const most = maxOf(shown.map(({ values }) => values)) * 1.2;
  const top = limit === undefined ? topOf(most, least, unit) : Math.max(limit.value, most / 1.2);
  const isEmpty = shown.every(({ values }) => values.every((value) => value === null));
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(Math.round(Math.min(Math.max((clientX - left) / width, 0), 1) * (points - 1)));
  };
  const spanMs = (lines[0]?.values.length ?? 1) * stepMs;
  const at = pointed === undefined ? undefined : from + (pointed / Math.max(points - 1, 1)) * spanMs;
  return (
    <figure className="chart">
      <figcaption>
        <span className="name">{title}</span>
        <span className="values numbers">
          {shown.map(({ name, tone, values, now }) => (
            <span key={name} className={`value ${tone}`}>
              {lines.length > 1 && <span className="soft">{name} </span>}
              {print(pointed === undefined ? now : (values[pointed] ?? null))}
            </span>
          ))}
          {at === undefined ? (
            limit && <span className="soft">of {limit.text}</span>
          ) : (
            <span className="soft">{printMoment(at, from + spanMs)}</span>
          )}
        </span>
      </figcaption>
      <div className="plot" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setPointed(undefined)}>
        <svg
          viewBox="0 0 1 1"
          preserveAspectRatio="none"
          role="img"
          aria-label={inWords({ title, lines, print, limit })}
        >
          {limit && <path className="limit" d={`M0 ${1 - limit.value / top}H1`} />}
          {shown.length === 1 && <path className={`area ${shown[0]!.tone}`} d={areaOf(shown[0]!.values, top)} />}
          {shown.map(({ name, tone, values }) => (
            <path key={name} className={`line ${tone}`} d={pathOf(values, top)} />
          ))}
          {pointed !== undefined && <path className="pointer" d={`M${pointed / Math.max(points - 1, 1)} 0V1`} />}
        </svg>
        <span className="top small soft numbers" aria-hidden="true">
          {print(top)}
        </span>
        {isEmpty && <span className="nothing small soft">{nothing}</span>}
      </div>
    </figure>
  );
}

function inWords({ title, lines, print, limit }: Pick<ChartProps, 'title' | 'lines' | 'print' | 'limit'>): string {
  const reported = lines.map(({ name, values, now }) => {
    const most = maxOf([values]);
    return `${lines.length > 1 ? `${name} ` : ''}${print(now)} now, ${print(most)} at most`;
  });
  return `${title}: ${reported.join('; ')}${limit ? `; limit ${limit.text}` : ''}`;
}
