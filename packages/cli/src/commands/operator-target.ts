import path from 'node:path';
import { type CallOperator, createRemoteOperator, readDeployment, withOperator } from '@octavo/platform';
import { getDataFolder } from '../connection.ts';
import { createMisuseError } from '../failure.ts';
import { type Terminal, warn } from '../terminal.ts';
import { type CommandInput, createTextOption, getText } from './command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** The options that select an installation on Cloudflare. */
export const targetOptions = {
  deployment: createTextOption(
    '<file>',
    'The settings of a platform on Cloudflare, such as deploy.json. By default, the data folder of this machine is used',
  ),
  env: createTextOption('<name>', 'The environment in the file of --deployment, such as staging'),
};

/** Calls an installation as its operator, and prints which installation it calls. */
export async function runAsOperator<Value>(
  { values }: CommandInput,
  terminal: Terminal,
  use: (call: CallOperator) => Promise<Value>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<Value> {
  const [file, environment] = [values.deployment, values.env].map(getText);
  if (file !== undefined) {
    const deployment = await readDeployment(path.resolve(file), environment, terminal.env);
    warn(terminal, `Platform: ${deployment.url}`);
    return use(createRemoteOperator(deployment));
  }
  if (environment !== undefined) throw createMisuseError('--env requires --deployment.');
  const dataDir = getDataFolder(terminal.env);
  return withOperator({ root, dataDir, mayCreate }, (call) => {
    warn(terminal, `Data: ${dataDir}`);
    return use(call);
  });
}

/** Aligns the columns of a table. */
export function formatTable(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats a duration with its two largest units. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m ${seconds % 60}s`;
  return days === 0 ? `${hours}h ${minutes % 60}m` : `${days}d ${hours % 24}h`;
}
