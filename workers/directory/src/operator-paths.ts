import { operatorPath, smokeTestName } from '@octavo/schema';

/** Whether a path is for operators, or for tests of a deployment. It names no object. */
export const canChooseCell = (pathname: string): boolean =>
  /^\/(?:health|health\/details|metrics|v1)$/.test(pathname) ||
  pathname.startsWith(`${operatorPath}/`) ||
  pathname.split('/').includes(smokeTestName);
