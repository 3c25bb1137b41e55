import { connect } from '../api.ts';
import { storeConnection } from '../connection.ts';
import { createMisuseError } from '../failure.ts';
import { type Command, createTextOption, getText, printResult } from './command.ts';

export const login: Command = {
  summary: 'Check a token and store it for later commands',
  arguments: [],
  options: {
    url: createTextOption('<url>', 'The URL of the server, such as https://octavo.example.com', { required: true }),
    token: createTextOption('<token>', 'Your token', { required: true }),
  },
  json: { fields: ['url', 'user', 'file'] },
  run: async (input, terminal) => {
    const { values } = input;
    const url = getText(values.url)?.replace(/\/+$/, '').replace(/\/v1$/, '');
    const token = getText(values.token);
    if (!url || !token) throw createMisuseError('--url and --token are required.');
    if (!/^https?:\/\/[^/]/.test(url)) throw createMisuseError(`The URL ${url} must start with http:// or https://.`);
    const user = await connect({ url, token }).getAuthenticatedUser();
    const file = await storeConnection({ url, token }, terminal.env);
    const line = `Logged in to ${url} as ${user.displayName}. The token is stored in ${file}.`;
    printResult(terminal, input, { url, user: { id: user.id, displayName: user.displayName }, file }, line);
    return 0;
  },
};
