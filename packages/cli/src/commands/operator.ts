import { type CallOperator, type CheckedChunk, callOperator, type ListedJob } from '@octavo/platform';
import { getDataFolder } from '../connection.ts';
import { createMisuseError } from '../failure.ts';
import { print, warn } from '../terminal.ts';
import { type Command, createFlag, createTextOption, getText, printResult } from './command.ts';
import { formatDuration, formatTable, runAsOperator, targetOptions } from './operator-target.ts';

export const token: Command = {
  summary: 'As the operator, create a user if it does not exist, and print a token',
  arguments: [],
  options: {
    email: createTextOption('<address>', 'The e-mail address of the user', { required: true }),
    organization: createTextOption('<id>', 'The organization of which the user becomes a member, with --role'),
    role: createTextOption('<role>', 'The role in the organization, or guest'),
    ...targetOptions,
  },
  json: { fields: ['token'] },
  run: async (input, terminal) => {
    const { values } = input;
    const [email, organization, role] = [values.email, values.organization, values.role].map(getText);
    if (!email) throw createMisuseError('--email is required.');
    if ((organization === undefined) !== (role === undefined))
      throw createMisuseError('--organization and --role must be used together.');
    const body = { email, ...(organization !== undefined && { organization, role: role === 'guest' ? null : role }) };
    const { token } = await runAsOperator(input, terminal, (call) => call('/token', body));
    printResult(terminal, input, { token }, token);
    return 0;
  },
};

export const loginLink: Command = {
  summary: 'As the operator, print a link that signs a user in to the app once. The server must be running',
  arguments: [],
  options: {
    email: createTextOption('<address>', 'The e-mail address of the user', { required: true }),
    ...targetOptions,
  },
  json: { fields: ['url', 'expiresAt'] },
  run: async (input, terminal) => {
    const email = getText(input.values.email);
    if (!email) throw createMisuseError('--email is required.');
    // Only a running server knows its public URL, so this command never starts a server.
    const link =
      input.values.deployment === undefined
        ? await callOperator(getDataFolder(terminal.env), '/login-link', { email })
        : await runAsOperator(input, terminal, (call) => call('/login-link', { email }));
    printResult(terminal, input, { ...link }, link.url);
    return 0;
  },
};

export const createAdmin: Command = {
  summary: 'As the operator, create an organization and its first admin, and print a token of the admin',
  arguments: [],
  options: {
    email: createTextOption('<address>', 'The e-mail address of the admin', { required: true }),
    organization: createTextOption('<title>', 'The title of the new organization', { required: true }),
    name: createTextOption('<name>', 'The name of the admin, if the user is new'),
    ...targetOptions,
  },
  json: { fields: ['token', 'organization'] },
  run: async (input, terminal) => {
    const { values } = input;
    const [email, title, displayName] = [values.email, values.organization, values.name].map(getText);
    if (!email) throw createMisuseError('--email is required.');
    if (!title) throw createMisuseError('--organization is required: the title of the new organization.');
    const body = { email, newOrganization: title, ...(displayName && { displayName }) };
    const { token, organization } = await runAsOperator(input, terminal, (call) => call('/token', body));
    warn(terminal, `Organization: ${organization}`);
    printResult(terminal, input, { token, organization }, token);
    return 0;
  },
};

export const jobs: Command = {
  summary: 'As the operator, list pending and failed jobs',
  arguments: [],
  options: targetOptions,
  json: { kind: 'list', fields: ['id', 'type', 'age', 'attempts', 'dead'] },
  run: async (input, terminal) => {
    const { jobs } = await runAsOperator(input, terminal, (call) => call('/jobs'));
    printResult(
      terminal,
      input,
      jobs,
      jobs.length > 0 ? formatTable([jobHeads, ...jobs.map(getCells)]) : 'No pending jobs.',
    );
    return 0;
  },
};

const jobHeads = ['ID', 'STATE', 'TYPE', 'AGE', 'ATTEMPTS', 'ORGANIZATION', 'SPACE', 'ERROR'];

const getCells = ({ id, dead, type, age, attempts, organization, space, error }: ListedJob): string[] => [
  id,
  dead ? 'dead' : 'waiting',
  type,
  formatDuration(age),
  String(attempts),
  organization ?? '-',
  space ?? '-',
  (error ?? '-').replace(/\s+/g, ' '),
];

export const replayJobs: Command = {
  summary: 'As the operator, retry failed jobs within a minute',
  arguments: ['[<id>]'],
  options: {
    all: createFlag('Retry all failed jobs'),
    ...targetOptions,
  },
  json: { fields: ['replayed'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [id],
    } = input;
    if ((id === undefined) === (values.all !== true)) throw createMisuseError('Pass either the id of a job or --all.');
    const { replayed } = await runAsOperator(input, terminal, (call) =>
      call('/jobs/replay', id === undefined ? { all: true } : { id }),
    );
    const line = `${replayed} ${replayed === 1 ? 'job' : 'jobs'} will be retried within a minute.`;
    printResult(terminal, input, { replayed }, line);
    return 0;
  },
};

export const metrics: Command = {
  summary: 'As the operator, print the metrics of the running server in the format of Prometheus',
  arguments: [],
  options: targetOptions,
  json: { kind: 'list', fields: ['name', 'value'] },
  run: async (input, terminal) => {
    // Only a running server has measurements, so this command never starts a server.
    const { text } =
      input.values.deployment === undefined
        ? await callOperator(getDataFolder(terminal.env), '/metrics')
        : await runAsOperator(input, terminal, (call) => call('/metrics'));
    if (input.values.json === true) printResult(terminal, input, parseMetrics(text), []);
    else terminal.stdout.write(text);
    return 0;
  },
};

/** Parses measurements in the Prometheus text format. Each name includes its labels. */
const parseMetrics = (text: string): { name: string; value: number }[] =>
  [...text.matchAll(/^([a-z].*) (\S+)$/gm)].map(([, name = '', value]) => ({ name, value: Number(value) }));

export const doctor: Command = {
  summary: 'As the operator, check the stored data for errors',
  arguments: [],
  options: {
    data: createFlag('Check all stored JSON against the schemas of this version', { required: true }),
    ...targetOptions,
  },
  json: { fields: ['rows', 'tables', 'faults'] },
  run: async (input, terminal) => {
    const { values } = input;
    if (!values.data) throw createMisuseError('--data is required.');
    const faults: Fault[] = [];
    const onFault = (fault: Fault) => {
      if (values.json === true) faults.push(fault);
      else print(terminal, getLine(fault));
    };
    const { rows, tables, count } = await runAsOperator(input, terminal, (call) => checkTables(call, onFault));
    const result = count === 0 ? 'no errors' : `${count} ${count === 1 ? 'error' : 'errors'}`;
    printResult(terminal, input, { rows, tables, faults }, `Checked ${rows} rows of ${tables} tables: ${result}.`);
    return count === 0 ? 0 : 1;
  },
};

type Fault = CheckedChunk['faults'][number];

async function checkTables(call: CallOperator, onFault: (fault: Fault) => void) {
  const tables = new Set<string>();
  let [rows, count] = [0, 0];
  for (let from: CheckedChunk['next'] | undefined; from !== null; ) {
    const part: CheckedChunk = await call('/data/check', from === undefined ? {} : { from });
    for (const fault of part.faults) onFault(fault);
    tables.add(part.table);
    rows += part.rows;
    count += part.faults.length;
    from = part.next;
  }
  return { rows, tables: tables.size, count };
}

const getLine = ({ table, key, path, message }: Fault): string =>
  [table, key, path, message.replace(/\s+/g, ' ')].join('  ');

export const rebuildSearch: Command = {
  summary: 'As the operator, rebuild the search index of one space or of all spaces',
  arguments: ['[<space>]'],
  options: targetOptions,
  json: { fields: ['space'] },
  run: async (input, terminal) => {
    const [space] = input.positionals;
    await runAsOperator(input, terminal, (call) => call('/search/rebuild', space === undefined ? {} : { space }));
    const line =
      `Queued: rebuilding the search index of ${space === undefined ? 'all spaces' : `space ${space}`}. Run octavo ` +
      'jobs to see the progress.';
    printResult(terminal, input, { space: space ?? null }, line);
    return 0;
  },
};
