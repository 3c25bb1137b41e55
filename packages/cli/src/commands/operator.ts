import path from 'node:path';
import { type CallOperator, type CheckedChunk, callOperator, type ListedJob, withOperator } from '@octavo/platform';
import { dataFolder } from '../connection.ts';
import { misuse } from '../failure.ts';
import { print, type Terminal, warn } from '../terminal.ts';
import { type Command, flag, getText, text } from './command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Calls this installation as its operator, and prints the data folder. */
function runAsOperator<Value>(terminal: Terminal, use: (call: CallOperator) => Promise<Value>): Promise<Value> {
  const dataDir = dataFolder(terminal.env);
  return withOperator({ root, dataDir }, (call) => {
    warn(terminal, `Data: ${dataDir}`);
    return use(call);
  });
}

export const token: Command = {
  summary: 'As the operator, create a user if it does not exist, and print a token',
  arguments: [],
  options: {
    email: text('<address>', 'The e-mail address of the user', { required: true }),
    organization: text('<id>', 'The organization of which the user becomes a member, with --role'),
    role: text('<role>', 'The role in the organization, or guest'),
  },
  run: async ({ values }, terminal) => {
    const [email, organization, role] = [values.email, values.organization, values.role].map(getText);
    if (!email) throw misuse('--email is required.');
    if ((organization === undefined) !== (role === undefined))
      throw misuse('--organization and --role must be used together.');
    const body = { email, ...(organization !== undefined && { organization, role: role === 'guest' ? null : role }) };
    const issued = await runAsOperator(terminal, (call) => call('/token', body));
    print(terminal, issued.token);
    return 0;
  },
};

export const createAdmin: Command = {
  summary: 'As the operator, create an organization and its first admin, and print a token of the admin',
  arguments: [],
  options: {
    email: text('<address>', 'The e-mail address of the admin', { required: true }),
    organization: text('<title>', 'The title of the new organization', { required: true }),
    name: text('<name>', 'The name of the admin, if the user is new'),
  },
  run: async ({ values }, terminal) => {
    const [email, title, displayName] = [values.email, values.organization, values.name].map(getText);
    if (!email) throw misuse('--email is required.');
    if (!title) throw misuse('--organization is required: the title of the new organization.');
    const body = { email, newOrganization: title, ...(displayName && { displayName }) };
    const issued = await runAsOperator(terminal, (call) => call('/token', body));
    warn(terminal, `Organization: ${issued.organization}`);
    print(terminal, issued.token);
    return 0;
  },
};

export const jobs: Command = {
  summary: 'As the operator, list pending and failed jobs',
  arguments: [],
  options: {
    json: flag('Print the result as JSON'),
  },
  run: async ({ values }, terminal) => {
    const { jobs } = await runAsOperator(terminal, (call) => call('/jobs'));
    if (values.json) print(terminal, JSON.stringify(jobs, null, 2));
    else if (jobs.length > 0) for (const line of table(jobs)) print(terminal, line);
    else print(terminal, 'No pending jobs.');
    return 0;
  },
};

const heads = ['ID', 'STATE', 'TYPE', 'AGE', 'ATTEMPTS', 'ORGANIZATION', 'SPACE', 'ERROR'];

function table(jobs: ListedJob[]): string[] {
  const rows = [heads, ...jobs.map(cells)];
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

/** Formats a duration with its two largest units. */
function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m ${seconds % 60}s`;
  return days === 0 ? `${hours}h ${minutes % 60}m` : `${days}d ${hours % 24}h`;
}

export const replayJobs: Command = {
  summary: 'As the operator, retry failed jobs within a minute',
  arguments: ['[<id>]'],
  options: {
    all: flag('Retry all failed jobs'),
  },
  run: async ({ values, positionals: [id] }, terminal) => {
    if ((id === undefined) === (values.all !== true)) throw misuse('Pass either the id of a job or --all.');
    const { replayed } = await runAsOperator(terminal, (call) =>
      call('/jobs/replay', id === undefined ? { all: true } : { id }),
    );
    print(terminal, `${replayed} ${replayed === 1 ? 'job' : 'jobs'} will be retried within a minute.`);
    return 0;
  },
};

export const metrics: Command = {
  summary: 'As the operator, print the measurements of the running server in the format of Prometheus',
  arguments: [],
  options: {},
  run: async (_, terminal) => {
    const { text } = await callOperator(dataFolder(terminal.env), '/metrics');
    terminal.stdout.write(text);
    return 0;
  },
};

export const doctor: Command = {
  summary: 'As the operator, check the stored data for errors',
  arguments: [],
  options: {
    data: flag('Check all stored JSON against the schemas of this version', { required: true }),
  },
  run: async ({ values }, terminal) => {
    if (!values.data) throw misuse('--data is required.');
    const { rows, tables, faults } = await runAsOperator(terminal, (call) => checkAll(call, terminal));
    const result = faults === 0 ? 'no errors' : `${faults} ${faults === 1 ? 'error' : 'errors'}`;
    print(terminal, `Checked ${rows} rows of ${tables} tables: ${result}.`);
    return faults === 0 ? 0 : 1;
  },
};

async function checkAll(call: CallOperator, terminal: Terminal) {
  const tables = new Set<string>();
  let [rows, faults] = [0, 0];
  for (let from: CheckedChunk['next'] | undefined; from !== null; ) {
    const part: CheckedChunk = await call('/data/check', from === undefined ? {} : { from });
    for (const fault of part.faults) print(terminal, getLine(fault));
    tables.add(part.table);
    rows += part.rows;
    faults += part.faults.length;
    from = part.next;
  }
  return { rows, tables: tables.size, faults };
}

const getLine = ({ table, key, path, message }: CheckedChunk['faults'][number]): string =>
  [table, key, path, message.replace(/\s+/g, ' ')].join('  ');

export const rebuildSearch: Command = {
  summary: 'As the operator, rebuild the search index of one space or of all spaces',
  arguments: ['[<space>]'],
  options: {},
  run: async ({ positionals: [space] }, terminal) => {
    await runAsOperator(terminal, (call) => call('/search/rebuild', space === undefined ? {} : { space }));
    print(
      terminal,
      `Queued: rebuilding the search index of ${space === undefined ? 'all spaces' : `space ${space}`}. Run octavo ` +
        'jobs to see the progress.',
    );
    return 0;
  },
};
