import path from 'node:path';
import { withOperator } from '@octavo/platform';
import { dataFolder } from '../connection.ts';
import { misuse } from '../failure.ts';
import { type Command, print, textOf } from './command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

export const token: Command = {
  summary: 'As the operator of this installation, make a user where new and print a token',
  usage: 'octavo token --email <address> [--organization <id> --role <role>]',
  options: { email: { type: 'string' }, organization: { type: 'string' }, role: { type: 'string' } },
  arguments: 0,
  run: async ({ values }) => {
    const [email, organization, role] = [values.email, values.organization, values.role].map(textOf);
    if (!email) throw misuse('A token needs --email.');
    if ((organization === undefined) !== (role === undefined)) throw misuse('--organization and --role go together.');
    const body = { email, ...(organization !== undefined && { organization, role: role === 'guest' ? null : role }) };
    const issued = await withOperator({ root, dataDir: dataFolder(process.env) }, (call) => call('/token', body));
    print(issued.token);
    return 0;
  },
};
