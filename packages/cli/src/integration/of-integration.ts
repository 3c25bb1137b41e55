import { IntegrationName, isApiError } from '@octavo/schema';
import { Failure } from '../failure.ts';

/** What is done with an integration of that name; one that is not there is told by it. @throws Failure */
export async function ofIntegration<Value>(
  integrationName: string,
  call: (params: { integrationName: string }) => Promise<Value>,
): Promise<Value> {
  const none = () =>
    new Failure(`There is no integration "${integrationName}" that you may see: octavo integration publish makes it.`);
  if (!IntegrationName.safeParse(integrationName).success) throw none();
  return call({ integrationName }).catch((error: unknown) => {
    throw isApiError(error) && error.type === 'not_found' ? none() : error;
  });
}
