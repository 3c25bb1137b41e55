import type { ListedJob } from '@octavo/platform';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';
import { asOperator } from './operator.ts';

export const jobs: Command = {
  summary: 'As the operator, list the work that waits and the work that failed for good',
  usage: 'octavo jobs [--json]',
  options: { json: { type: 'boolean' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const { jobs: listed } = await asOperator(terminal, (call) => call('/jobs'));
    if (values.json) print(terminal, JSON.stringify(listed, null, 2));
    else if (listed.length > 0) for (const line of table(listed)) print(terminal, line);
    else print(terminal, 'No work waits.');
    return 0;
  },
};

const heads = ['ID', 'STATE', 'TYPE', 'AGE', 'ATTEMPTS', 'ORGANIZATION', 'SPACE', 'ERROR'];

function table(listed: ListedJob[]): string[] {
  const rows = [heads, ...listed.map(cells)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const cells = ({ id, dead, type, age, attempts, organization, space, error }: ListedJob): string[] => [
  id,
  dead ? 'dead' : 'waiting',
  type,
  duration(age),
  String(attempts),
  organization ?? '-',
  space ?? '-',
  (error ?? '-').replace(/\s+/g, ' '),
];

/** The two largest units of a time. */
function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m ${seconds % 60}s`;
  return days === 0 ? `${hours}h ${minutes % 60}m` : `${days}d ${hours % 24}h`;
}
