import type { CallOperator, OperatorResponses } from '@octavo/platform';
import type { Health, ListedLetter } from '@octavo/schema';
import { createMisuseError } from '../failure.ts';
import { warn } from '../terminal.ts';
import { type Command, type CommandInput, createFlag, printResult } from './command.ts';
import { formatDuration, formatTable, runAsOperator, targetOptions } from './operator-target.ts';

export const health: Command = {
  summary: 'As the operator, print the state of the database, queues and crons. Exits with 1 if there are problems',
  arguments: [],
  options: targetOptions,
  json: { fields: ['status', 'problems', 'database', 'queues', 'crons'] },
  run: async (input, terminal) => {
    const report = await runAsOperator(input, terminal, (call) => call('/status'));
    printResult(terminal, input, report, describeHealth(report));
    return report.status === 'ok' ? 0 : 1;
  },
};

const formatSeconds = (seconds: number): string => formatDuration(seconds * 1000);

const describeHealth = ({ problems, database, queues, crons }: Health): string[] => [
  `Database: ${((database.bytes ?? 0) / 1e6).toFixed(1)} MB, ${database.milliseconds} ms`,
  '',
  ...formatTable([
    ['QUEUE', 'WAITING', 'OLDEST', 'FAILED', 'DEAD LETTERS'],
    ...queues.map(({ queue, waiting, oldestSeconds, failed, deadLetters }) => [
      ...[queue, String(waiting), waiting === 0 ? '-' : formatSeconds(oldestSeconds)],
      ...[String(failed), String(deadLetters)],
    ]),
  ]),
  '',
  ...formatTable([
    ['WORKER', 'CRON', 'LAST RUN', 'TOOK', 'FAILED'],
    ...crons.map(({ worker, cron, secondsAgo, seconds, failed }) => [
      ...[worker, cron, `${formatSeconds(secondsAgo)} ago`, formatSeconds(seconds), String(failed)],
    ]),
  ]),
  '',
  ...(problems.length === 0 ? ['No problems.'] : problems),
];

export const deadLetters: Command = {
  summary: 'As the operator, list messages that a queue has given up',
  arguments: [],
  options: targetOptions,
  json: { kind: 'list', fields: ['id', 'queue', 'body', 'age'] },
  run: async (input, terminal) => {
    const { letters, count } = await runAsOperator(input, terminal, (call) => call('/dead-letters'));
    if (letters.length < count) warn(terminal, `The oldest ${letters.length} of ${count} dead letters are listed.`);
    printResult(terminal, input, letters, letters.length > 0 ? formatLetters(letters) : 'No dead letters.');
    return 0;
  },
};

const formatLetters = (letters: ListedLetter[]): string[] =>
  formatTable([
    ['ID', 'QUEUE', 'AGE', 'MESSAGE'],
    ...letters.map(({ id, queue, age, body }) => [id, queue, formatDuration(age), JSON.stringify(body)]),
  ]);

/** Returns the id of the dead letter to select, or undefined to select all of them. */
function readChoice({ values, positionals: [id] }: CommandInput): string | undefined {
  if ((id === undefined) === (values.all !== true))
    throw createMisuseError('Pass either the id of a dead letter or --all.');
  return id;
}

const describeLetters = (count: number, verb: string): string =>
  `${count} dead ${count === 1 ? 'letter was' : 'letters were'} ${verb}`;

export const retryLetters: Command = {
  summary: 'As the operator, send dead letters to their queues again',
  arguments: ['[<id>]'],
  options: {
    all: createFlag('Send all dead letters again'),
    ...targetOptions,
  },
  json: { fields: ['retried', 'skipped'] },
  run: async (input, terminal) => {
    const id = readChoice(input);
    const { retried, skipped } = await runAsOperator(input, terminal, async (call) =>
      id === undefined ? retryAll(call) : call('/dead-letters/retry', { id }),
    );
    printResult(terminal, input, { retried, skipped }, [
      `${describeLetters(retried, 'sent again')}.`,
      ...skipped.map(({ queue, count }) => `${describeLetters(count, 'skipped')}: there is no queue ${queue}.`),
    ]);
    return 0;
  },
};

/** Sends all current dead letters again, in several calls. */
async function retryAll(
  call: CallOperator,
): Promise<Pick<OperatorResponses['/dead-letters/retry'], 'retried' | 'skipped'>> {
  // If a message fails again, it becomes a new dead letter with a later time, so it is not sent twice.
  const { time: until } = await call('/dead-letters');
  for (let retried = 0; ; ) {
    const part = await call('/dead-letters/retry', { until });
    retried += part.retried;
    if (!part.hasMore) return { retried, skipped: part.skipped };
  }
}

export const deleteLetters: Command = {
  summary: 'As the operator, delete dead letters',
  arguments: ['[<id>]'],
  options: {
    all: createFlag('Delete all dead letters'),
    ...targetOptions,
  },
  json: { fields: ['deleted'] },
  run: async (input, terminal) => {
    const id = readChoice(input);
    const deleted = await runAsOperator(input, terminal, async (call) =>
      id === undefined ? deleteAll(call) : (await call('/dead-letters/delete', { id })).deleted,
    );
    printResult(terminal, input, { deleted }, `${describeLetters(deleted, 'deleted')}.`);
    return 0;
  },
};

/** Deletes all dead letters that exist now, in several calls. */
async function deleteAll(call: CallOperator): Promise<number> {
  const { time: until } = await call('/dead-letters');
  for (let deleted = 0; ; ) {
    const part = await call('/dead-letters/delete', { until });
    deleted += part.deleted;
    if (!part.hasMore) return deleted;
  }
}
