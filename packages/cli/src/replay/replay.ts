import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { createSpace, listOrganizations } from '../spaces.ts';
import { findDifference } from './find-difference.ts';
import { readHistory } from './history.ts';
import { Replay } from './replay-commits.ts';

const titleLength = 50;

/** Replays a history in a new space, a change request for each commit; gives the exit code. */
export async function replay(file: string): Promise<number> {
  const started = performance.now();
  const { start, commits, end } = await readHistory(file);
  const api = connect(await findConnection());
  const organizations = await listOrganizations(api);
  const organization = organizations.find(({ permissions }) => permissions.createContent);
  if (!organization) throw new Failure('You may create spaces in none of your organizations.');
  const name = file.replace(/^.*[/\\]/, '').slice(0, titleLength - 'Replay of '.length);
  const space = await createSpace(api, `Replay of ${name}`, organization.id);
  console.log(`Space ${space}`);
  const history = new Replay(api, space);
  await history.apply('start', start);
  for (const [index, { commit, changes }] of commits.entries()) {
    await history.apply(`Commit ${commit}`, new Map(changes.map(({ path, content }) => [path, content])));
    if ((index + 1) % 25 === 0 || index + 1 === commits.length)
      console.error(`${index + 1} of ${commits.length} commits`);
  }
  const difference = await findDifference(api, space, end);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${history.merged} change requests merged, ${history.skipped} skipped, ${end.size} files, ${seconds} s`);
  console.log(difference === undefined ? 'The end matches.' : `The end differs. ${difference}`);
  return difference === undefined ? 0 : 1;
}
