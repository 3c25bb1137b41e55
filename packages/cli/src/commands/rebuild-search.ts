import { type Command, print } from './command.ts';
import { asOperator } from './operator.ts';

export const rebuildSearch: Command = {
  summary: 'As the operator, index the pages of one space or of all spaces again',
  usage: 'octavo search rebuild [<space>]',
  options: {},
  arguments: 0,
  optionalArguments: 1,
  run: async ({ positionals: [space] }) => {
    await asOperator((call) => call('/search/rebuild', space === undefined ? {} : { space }));
    print(
      `Queued: search is rebuilt for ${space === undefined ? 'all spaces' : `space ${space}`}; octavo jobs shows what is left.`,
    );
    return 0;
  },
};
