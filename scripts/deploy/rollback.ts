import { PlatformError } from '@octavo/platform';
import { type Deployment, getMainVersion } from './account.ts';
import { addPrefix, chooseSources } from './configurations.ts';
import type { Deployer, Step } from './deployer.ts';
import { RELEASE, TEST } from './steps.ts';

const ROLLBACK = 'Rollback of ';

const getMessage = (deployment: Deployment | undefined): string => deployment?.annotations?.['workers/message'] ?? '';
/** Returns the message of the release that a deployment belongs to. */
const getRelease = (deployment: Deployment | undefined): string => getMessage(deployment).replace(ROLLBACK, '');
const isOfRelease = (deployment: Deployment): boolean =>
  new RegExp(`^(?:${ROLLBACK})?${RELEASE}[0-9a-f]+$`).test(getMessage(deployment));

/** Returns the last release and the earlier deployments of a worker, and whether it was changed after the release. */
function splitDeployments(deployments: Deployment[]) {
  const index = deployments.findIndex(isOfRelease);
  const newer = deployments.slice(0, Math.max(index, 0));
  return {
    deployments: index === -1 ? [] : deployments.slice(index),
    isChangedLater: newer.some((each) => !getMessage(each).startsWith(`${TEST}${RELEASE}`)),
  };
}

/** Returns the version that served before the last deployment. */
const getFormerVersion = ([last, ...earlier]: Deployment[]): string | undefined =>
  earlier.map(getMainVersion).find((version) => last !== undefined && version !== getMainVersion(last));

/**
 * Returns the steps that send all requests to the versions before the last release. Only workers that this release
 * changed have steps. A rollback that was killed continues, and one that is complete has no steps.
 */
export async function planRollback({ account, settings, release: { sources }, only }: Deployer): Promise<Step[]> {
  const chosen = chooseSources(sources, settings).filter(({ name }) => only === undefined || name === only);
  const names = chosen.map(({ name }) => addPrefix(settings.prefix, name));
  const workers = await Promise.all(
    names.map(async (name) => ({ name, ...splitDeployments(await account.readDeployments(name)) })),
  );
  const candidates = workers.flatMap(({ deployments }) => deployments.slice(0, 1));
  const [newest] = candidates.toSorted((a, b) => (a.created_on < b.created_on ? 1 : -1));
  const release = getRelease(newest);
  const others = workers
    .flatMap(({ deployments }) => deployments)
    .filter((each) => isOfRelease(each) && getRelease(each) !== release)
    .map((each) => each.created_on);
  // If a release was deployed before, some workers were changed only then. Another release followed that deployment.
  const released = workers.filter(
    ({ deployments: [last] }) =>
      last !== undefined && getMessage(last) === release && others.every((other) => other < last.created_on),
  );
  const changedLater = released.filter(({ isChangedLater }) => isChangedLater).map(({ name }) => name);
  if (changedLater.length > 0)
    throw new PlatformError(
      `The last release cannot be rolled back, because something else was deployed after it, such as a changed secret: ${changedLater.join(', ')}. Nothing was changed. Check out the previous release, and deploy it instead.`,
    );
  const changed = released.flatMap(({ name, deployments }) => {
    const version = getFormerVersion(deployments);
    return version === undefined ? [] : [{ name, version }];
  });
  if (changed.length === 0 && !getMessage(newest).startsWith(ROLLBACK))
    throw new PlatformError('There is no former version to return to.');
  // The gateway comes first, because it calls the other workers.
  return changed.map(({ name, version }) => ({
    title: `return to the version ${version} of ${name}`,
    run: async () => {
      await account.deployVersions(name, { [version]: 100 }, `${ROLLBACK}${release}`);
    },
  }));
}
