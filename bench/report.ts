/** PURE. The figures as tables for people and as lines of JSON for programs. */
import type { Figure, Section } from './figures.ts';

const columnWidth = 17;

export function tableOf({ title, unit, figures }: Section): string {
  if (figures.length === 0) return '';
  const columns = Object.keys(figures[0]!.values);
  const width = Math.max(...figures.map(({ says }) => says.length)) + 4;
  const heading = `${title}${unit === 'ms' ? ', milliseconds' : ''}`;
  const lines = figures.map(
    ({ says, values }) =>
      `  ${says.padEnd(width - 2)}${columns.map((column) => format(column, values[column]!, unit)).join('')}`,
  );
  return [
    heading,
    ' '.repeat(width) + columns.map((column) => column.padStart(widthOf(column))).join(''),
    ...lines,
    '',
  ].join('\n');
}

/** One line a figure: `{"figure":"berth.live","unit":"ms","median":1311,…}`. */
export function jsonOf({ unit, figures }: Section): string[] {
  return figures.map(({ id, values, samples }: Figure) =>
    JSON.stringify({
      figure: id,
      unit,
      ...Object.fromEntries(
        Object.entries(values).flatMap(([name, value]) =>
          Number.isNaN(value) ? [] : [[name.replaceAll(' ', '-'), rounded(value)]],
        ),
      ),
      ...(samples && { samples: samples.map(rounded) }),
    }),
  );
}

function widthOf(column: string): number {
  return column.includes(' ') ? columnWidth : 9;
}

function format(column: string, value: number, unit: Section['unit']): string {
  if (Number.isNaN(value)) return '–'.padStart(widthOf(column));
  if (unit === 'mixed') return mixed(value).padStart(widthOf(column));
  const digits = column === 'n' || (unit === 'ms' && value >= 100) ? 0 : unit === 'ms' ? 1 : 2;
  return value.toFixed(digits).padStart(widthOf(column));
}

function mixed(value: number): string {
  return Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
