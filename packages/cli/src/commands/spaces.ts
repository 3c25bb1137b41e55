import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { listOrganizations, listSpaces } from '../spaces.ts';
import { type Command, printResult } from './command.ts';

export const spaces: Command = {
  summary: 'List your organizations and their spaces',
  arguments: [],
  options: {},
  json: { kind: 'list', fields: ['id', 'title', 'spaces'] },
  run: async (input, terminal) => {
    const api = connect(await findConnection(terminal.env));
    const organizations = [];
    for (const { id, title } of await listOrganizations(api)) {
      const listed = await listSpaces(api, id);
      organizations.push({ id, title, spaces: listed.map((space) => ({ id: space.id, title: space.title })) });
    }
    printResult(terminal, input, organizations, organizations.map(describe));
    return 0;
  },
};

const describe = (organization: { id: string; title: string; spaces: { id: string; title: string }[] }): string =>
  [
    `${organization.title}  ${organization.id}`,
    ...organization.spaces.map((space) => `  ${space.id}  ${space.title || 'Untitled'}`),
  ].join('\n');
