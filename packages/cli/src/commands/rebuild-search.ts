import { print } from '../terminal.ts';
import type { Command } from './command.ts';
import { asOperator } from './operator.ts';

export const rebuildSearch: Command = {
  summary: 'As the operator, index the pages of one space or of all spaces again',
  usage: 'octavo search rebuild [<space>]',
  options: {},
  arguments: 0,
  optionalArguments: 1,
  run: async ({ positionals: [space] }, terminal) => {
    await asOperator(terminal, (call) => call('/search/rebuild', space === undefined ? {} : { space }));
    print(
      terminal,
      `Queued: search is rebuilt for ${space === undefined ? 'all spaces' : `space ${space}`}; octavo jobs shows what is left.`,
    );
    return 0;
  },
};
