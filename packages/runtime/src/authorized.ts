import type {
  CallerRecord,
  ChangeRequestRecord,
  CollectionRecord,
  InstallationRecord,
  MemberRecord,
  Membership,
  OrganizationRecord,
  RevisionPoint,
  ShownIntegrationRecord,
  SiteRecord,
  SpaceRecord,
  TeamRecord,
} from '@octavo/db';
import type { Role, Visitor } from '@octavo/schema';

/** What authorization found out; which fields are there follows from the endpoint's `access` and path. */
export interface Authorized {
  actor?: CallerRecord;
  /** Who calls as a visitor of a site, and not as a user. */
  visitor?: Visitor;
  /** Whether the caller is an admin of the organization that the path's object is of. */
  isAdmin?: boolean;
  organization?: OrganizationRecord;
  membership?: Membership;
  team?: TeamRecord;
  member?: MemberRecord;
  collection?: CollectionRecord;
  site?: SiteRecord;
  installation?: InstallationRecord;
  /** With its owner and the caller's place there. */
  integration?: ShownIntegrationRecord;
  space?: SpaceRecord;
  role?: Role | null;
  isGuest?: boolean;
  changeRequest?: ChangeRequestRecord;
  point?: RevisionPoint;
}
