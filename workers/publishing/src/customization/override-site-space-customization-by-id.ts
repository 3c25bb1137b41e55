import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { agreeingActions, changedCustomization, fullCustomization } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { requireSoundCustomization } from './check-customization.ts';
import { writeCustomization } from './write-customization.ts';

export const overrideSiteSpaceCustomizationById: Handler<
  typeof publishing.overrideSiteSpaceCustomizationById,
  PublishingEnvironment
> = ({ params, body }, { site, env, db, commit }) => {
  requireSoundCustomization(body, env);
  return writeCustomization(
    { site, siteSpace: params.siteSpaceId },
    ({ whole, own }) => {
      const before = fullCustomization(whole?.settings, own?.settings);
      return changedCustomization(own?.settings, agreeingActions(body, { before, below: before }));
    },
    { db, commit },
  );
};
