import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { explainFailure, Failure } from '../failure.ts';
import { createSpace, listOrganizations } from '../spaces.ts';
import { print, type Terminal, warn } from '../terminal.ts';
import { findDifference } from './find-difference.ts';
import { readHistory } from './history.ts';
import { Replay } from './replay-commits.ts';

const titleLength = 50;

/** Replays the history that was typed in a new space, a change request for each commit; gives the exit code. */
export async function replay(typed: string[], terminal: Terminal): Promise<number> {
  const [file] = typed.filter((argument) => argument !== '--');
  if (file === undefined) {
    warn(terminal, 'Name the history to replay: npm run replay -- <file.jsonl or .jsonl.gz>');
    return 2;
  }
  return run(file, terminal).catch((error: unknown) => {
    warn(terminal, explainFailure(error));
    return 1;
  });
}

async function run(file: string, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const { start, commits, end } = await readHistory(file);
  const api = connect(await findConnection(terminal.env));
  const organizations = await listOrganizations(api);
  const organization = organizations.find(({ permissions }) => permissions.createContent);
  if (!organization) throw new Failure('You may create spaces in none of your organizations.');
  const name = file.replace(/^.*[/\\]/, '').slice(0, titleLength - 'Replay of '.length);
  const space = await createSpace(api, `Replay of ${name}`, organization.id);
  print(terminal, `Space ${space}`);
  const history = new Replay(api, space);
  await history.apply('start', start);
  for (const [index, { commit, changes }] of commits.entries()) {
    await history.apply(`Commit ${commit}`, new Map(changes.map(({ path, content }) => [path, content])));
    if ((index + 1) % 25 === 0 || index + 1 === commits.length)
      warn(terminal, `${index + 1} of ${commits.length} commits`);
  }
  const difference = await findDifference(api, space, end);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(
    terminal,
    `${history.merged} change requests merged, ${history.skipped} skipped, ${end.size} files, ${seconds} s`,
  );
  print(terminal, difference === undefined ? 'The end matches.' : `The end differs. ${difference}`);
  return difference === undefined ? 0 : 1;
}
