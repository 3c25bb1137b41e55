import { misuse } from '../failure.ts';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';
import { asOperator } from './operator.ts';

export const replayJobs: Command = {
  summary: 'As the operator, have work that failed for good done again, within a minute',
  usage: 'octavo jobs replay <id>|--all',
  options: { all: { type: 'boolean' } },
  arguments: 0,
  optionalArguments: 1,
  run: async ({ values, positionals: [id] }, terminal) => {
    if ((id === undefined) === (values.all !== true)) throw misuse('A replay needs either the id of a job or --all.');
    const { replayed } = await asOperator(terminal, (call) =>
      call('/jobs/replay', id === undefined ? { all: true } : { id }),
    );
    print(terminal, `${replayed} ${replayed === 1 ? 'job' : 'jobs'} will be done again within a minute.`);
    return 0;
  },
};
