import { misuse } from '../failure.ts';
import { type Command, print, textOf } from './command.ts';
import { asOperator } from './operator.ts';

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
    const issued = await asOperator((call) => call('/token', body));
    print(issued.token);
    return 0;
  },
};
