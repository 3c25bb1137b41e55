import { type Block, textAt } from './document-tree.ts';

/** A longer expression is not written: who asks for conditions as they are sees that of the branch alone. */
const MAX_EXPRESSION = 4096;

/** For each branch of a condition: when it is the one that is shown. */
export function expressionsOf(branches: Block[]): string[] {
  let failed = '';
  return branches.map(({ data }) => {
    const condition = textAt(data, 'condition');
    const own = condition === undefined ? failed : failed === '' ? condition : `${failed} && (${condition})`;
    if (failed.length < MAX_EXPRESSION && condition !== undefined)
      failed += `${failed === '' ? '' : ' && '}!(${condition})`;
    return (own.length > MAX_EXPRESSION ? condition : own) || 'true';
  });
}
