/** Formats reports for the screen and as Markdown. */
import { type Figure, isMet, type Report, ratio } from './measure.ts';

const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

export function print(report: Report): void {
  console.log(`\n${report.name}: ${report.claim}\n`);
  for (const figure of report.figures) {
    const engine = figure.engine === undefined ? '' : engineNames[figure.engine];
    const value = `${format(figure.value)} ${figure.unit}`;
    const verdict = figure.claim === undefined ? '' : `  ${bound(figure)}: ${verdictOn(figure)}`;
    const line = `  ${engine.padEnd(12)}${figure.what.padEnd(60)}${value.padStart(20)}  ${range(figure)}`;
    console.log(`${line.padEnd(112)}${verdict}`.trimEnd());
  }
}

export function toMarkdown(report: Report): string {
  const rows = report.figures.map((figure) => {
    const engine = figure.engine === undefined ? '' : engineNames[figure.engine];
    const value = `${format(figure.value)} ${figure.unit}`.trim();
    const claim = figure.claim === undefined ? ['', '', ''] : [bound(figure), share(figure), met(figure)];
    return `| ${[engine, figure.what, value, range(figure), ...claim].join(' | ')} |`;
  });
  return [
    `## ${report.name}`,
    '',
    report.claim,
    '',
    '| | | median | range | target | of the target | |',
    '| --- | --- | ---: | ---: | ---: | ---: | --- |',
    ...rows,
    '',
    ...report.method.map((sentence) => `- ${sentence}`),
    '',
  ].join('\n');
}

export function format(value: number): string {
  if (!Number.isFinite(value)) return 'not measured';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function bound({ claim, unit }: Figure): string {
  if (claim === undefined) return '';
  const [words, limit] =
    'atLeast' in claim ? (['at least', claim.atLeast] as const) : (['at most', claim.atMost] as const);
  return `${words} ${format(limit)} ${unit}`.trim();
}

function range({ rounds }: Figure): string {
  if (rounds === undefined || rounds.length < 2) return '';
  return `${format(Math.min(...rounds))} – ${format(Math.max(...rounds))}`;
}

/** With a limit of 0 there is no share: the limit is either kept or not. */
function share(figure: Figure): string {
  const value = ratio(figure);
  return value === undefined || !Number.isFinite(value) ? '' : `${value.toFixed(2)} ×`;
}

function met(figure: Figure): string {
  return isMet(figure) ? 'met' : '**not met**';
}

function verdictOn(figure: Figure): string {
  const times = share(figure);
  return `${times === '' ? '' : `${times}, `}${isMet(figure) ? 'met' : 'NOT MET'}`;
}
