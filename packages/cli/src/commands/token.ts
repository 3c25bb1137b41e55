import { misuse } from '../failure.ts';
import { print } from '../terminal.ts';
import { type Command, textOf } from './command.ts';
import { asOperator } from './operator.ts';

export const token: Command = {
  summary: 'As the operator of this installation, make a user where new and print a token',
  usage: 'octavo token --email <address> [--organization <id> --role <role>]',
  options: { email: { type: 'string' }, organization: { type: 'string' }, role: { type: 'string' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const [email, organization, role] = [values.email, values.organization, values.role].map(textOf);
    if (!email) throw misuse('A token needs --email.');
    if ((organization === undefined) !== (role === undefined)) throw misuse('--organization and --role go together.');
    const body = { email, ...(organization !== undefined && { organization, role: role === 'guest' ? null : role }) };
    const issued = await asOperator(terminal, (call) => call('/token', body));
    print(terminal, issued.token);
    return 0;
  },
};
