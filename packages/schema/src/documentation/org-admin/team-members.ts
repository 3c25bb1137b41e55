import type { ResourceDocumentation } from '../documentation.ts';
import { member } from './members.ts';

export const teamMembers: ResourceDocumentation = {
  operations: {},
  schemas: {
    TeamMember: {
      description: 'A member of a team.',
      properties: {
        organization: 'The membership in the organization.',
        team: 'The membership in the team.',
        'permissions.view': 'Whether the caller may see the membership. Always true.',
      },
      example: { organization: member, team: { role: 'owner' }, permissions: { view: true } },
    },
  },
};
