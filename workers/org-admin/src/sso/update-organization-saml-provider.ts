import { commitChecked, onlyRow, samlProviders, samlRequests } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { leavesSignIn } from './can-sign-in.ts';
import { checkSettings } from './check-settings.ts';
import { endIdentities, endSessions } from './end-access.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { providerExists, selectProvider } from './provider-record.ts';

/**
 * A subject is known by who vouches for it: another entity ID is another issuer, so the identities and the sessions of
 * the one before end with it. Sign-ins under way end with any change of what they are verified by.
 */
export const updateOrganizationSAMLProvider: Handler<
  typeof orgAdmin.updateOrganizationSAMLProvider,
  OrgAdminEnvironment
> = async ({ params, body }, { db, actor, organization, membership, commit, urls }) => {
  const id = params.samlProviderId;
  const { ssoURL: ssoUrl, entityID: entityId, ...others } = body;
  const mine = sql`id = ${id} AND organization = ${organization.id}`;
  const isOther = sql`EXISTS (SELECT 1 FROM saml_providers WHERE ${mine} AND entity_id <> ${entityId ?? null})`;
  const given = { ssoUrl, entityId, ...others };
  const isReset = [ssoUrl, entityId, body.certificate].some((value) => value !== undefined);
  const isEmptied = [entityId, body.certificate].includes('');
  const isEmpty = Object.values(given).every((value) => value === undefined);
  const checks = [...checkSettings(organization.id, body), providerExists(organization.id, id)];
  if (!isEmpty) checks.push(leavesSignIn(organization.id));
  const changed = selectProvider(organization.id, id, actor.id);
  const change = () => [
    endSessions(db, id, isEmptied ? undefined : isOther),
    endIdentities(db, id, isOther),
    ...(isReset ? [db.delete(samlRequests).where(sql`provider = ${id}`)] : []),
    db.update(samlProviders).set(given).where(mine),
  ];
  const event = { type: 'saml_provider.updated', organization: organization.id, data: { provider: id } } as const;
  const rows = await commitChecked(db, checks, (guards, outcome) =>
    commit({ guards, write: isEmpty ? [] : change(), outcome, changed }, isEmpty ? [] : [event]),
  );
  return presentSamlProvider(onlyRow(rows.changed), { membership, urls });
};
