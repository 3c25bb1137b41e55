import { commitCheckedOnce, firstBroken, onlyRow, retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { describe, faultOfOutside, log } from '@octavo/runtime';
import type { integrations, PublishIntegration } from '@octavo/schema';
import { invalid, maxIconBytes, maxPreviewBytes, notFound } from '@octavo/schema';
import { tryOwnInstallationAgain } from '../deliveries/try-at-once.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { settlePending } from '../installations/settle-pending.ts';
import { uploadObjects } from './objects.ts';
import { presentIntegration } from './present-integration.ts';
import { readImage } from './read-image.ts';
import { counted, shownTo } from './shown-integrations.ts';
import { checksOf, nameAsStored, writeIntegration } from './write-integration.ts';

type Publish = typeof integrations.publishIntegration;
type Context = Parameters<Handler<Publish, IntegrationsEnvironment>>[1];

const iconLimits = { bytes: maxIconBytes, side: 2048 };
const previewLimits = { bytes: maxPreviewBytes, side: 8192 };

export const publishIntegration: Handler<Publish, IntegrationsEnvironment> = async ({ params, body }, context) => {
  const { db, env, actor, commit, urls } = context;
  const owner = context.targets.organization?.id;
  if (owner === undefined) throw notFound('organization');
  requireReachable(env, body);
  const images = imagesOf(body);
  const named = async () => ({ name: await nameAsStored(db, params.integrationName), owner });
  await retryOnConflict(async () => {
    const refused = await firstBroken(db, checksOf(await named()));
    if (refused !== undefined) throw refused;
  });
  const objects = await uploadObjects({ db, env }, [scriptOf(body), ...images]);
  const shown = await retryOnConflict(async () => {
    const { name } = await named();
    const written = await writeIntegration({ db, env }, { name, owner, actor: actor.id, objects, body });
    const write = [...written, tryOwnInstallationAgain(db, name, owner)];
    const told = { type: 'integration.published' as const, organization: owner, data: { integration: name } };
    // Read in the batch that writes it: of many at once each is answered with its own version.
    const { shown } = await commitCheckedOnce(db, checksOf({ name, owner }), (guards) =>
      commit({ guards, write, shown: shownTo(actor, name) }, [told]),
    );
    return counted(actor, onlyRow(shown));
  });
  settleAfterwards(context, shown.integration.name);
  return presentIntegration(shown, urls);
};

/** After the answer; what it does not get to is left for the timer. */
function settleAfterwards({ env, background }: Pick<Context, 'env' | 'background'>, name: string): void {
  background.waitUntil(
    settlePending(env, background, name).catch((error: unknown) =>
      log('error', 'installations that are pending wait for the timer', { integration: name, cause: describe(error) }),
    ),
  );
}

/** @throws ApiError invalid where events could never be posted to the address, or never should be */
function requireReachable(env: IntegrationsEnvironment, { webhook }: PublishIntegration): void {
  const fault = webhook === undefined ? undefined : faultOfOutside(env, webhook);
  if (fault !== undefined) throw invalid([{ path: 'body.webhook', message: fault }]);
}

/** The icon, where there is one, and the preview images. */
function imagesOf({ icon, previewImages }: PublishIntegration) {
  const previews = previewImages.map((each, index) => readImage(`body.previewImages.${index}`, each, previewLimits));
  return icon === undefined ? previews : [readImage('body.icon', icon, iconLimits), ...previews];
}

const scriptOf = ({ script }: PublishIntegration) => ({ kind: 'js' as const, bytes: new TextEncoder().encode(script) });
