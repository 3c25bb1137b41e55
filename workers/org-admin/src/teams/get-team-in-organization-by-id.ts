import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from './present-team.ts';

export const getTeamInOrganizationById: Handler<typeof orgAdmin.getTeamInOrganizationById, OrgAdminEnvironment> = (
  _,
  { team, membership },
) => presentTeam(team, membership);
