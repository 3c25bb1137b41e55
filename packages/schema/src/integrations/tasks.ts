import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { IntegrationName } from './integration.ts';

/** How many tasks of one integration wait at most. */
export const maxWaitingTasks = 1000;
const maxTaskCharacters = 64 * 1024;
const maxSeconds = 86_400;

export const taskEndpoints = contract({
  queueIntegrationTask: {
    method: 'POST',
    path: '/v1/integrations/:integrationName/tasks',
    summary: 'Have the script of an integration called later, with a task',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params: z.object({ integrationName: IntegrationName }),
    body: z.object({
      task: z
        .record(z.string(), z.unknown())
        .refine(
          (task) => JSON.stringify(task).length <= maxTaskCharacters,
          `must have at most ${maxTaskCharacters} characters as JSON`,
        ),
      schedule: z.number().min(0).max(maxSeconds).default(0).meta({ description: 'In how many seconds.' }),
    }),
    success: 204,
    errors: ['conflict'],
  },
});
