import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { agreeingActions, changedCustomization, fullCustomization } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { requireSoundCustomization } from './check-customization.ts';
import { writeCustomization } from './write-customization.ts';

export const updateSiteCustomizationById: Handler<
  typeof publishing.updateSiteCustomizationById,
  PublishingEnvironment
> = ({ body }, { site, env, db, commit }) => {
  requireSoundCustomization(body, env);
  return writeCustomization(
    { site, siteSpace: '' },
    ({ whole }) =>
      changedCustomization(
        {},
        agreeingActions(body, { before: fullCustomization(whole?.settings), below: fullCustomization() }),
      ),
    { db, commit },
  );
};
