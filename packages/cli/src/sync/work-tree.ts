import { Failure } from '../failure.ts';
import { gitText } from './git.ts';

const mostTold = 5;

/** @throws Failure where a work tree has changes that are not committed; files that git does not know are none */
export async function requireCommitted(top: string, given: string): Promise<void> {
  const changed = (await gitText(top, ['status', '--porcelain', '--untracked-files=no'])).split('\n').filter(Boolean);
  if (changed.length === 0) return;
  const some = changed.slice(0, mostTold).join(', ');
  throw new Failure(`${given} has changes that are not committed: ${some}${changed.length > mostTold ? ', ...' : ''}`);
}
