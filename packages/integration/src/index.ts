export type { IntegrationApi } from './api.ts';
export { ApiRefusal, at } from './api.ts';
export type { IntegrationContext } from './context.ts';
export { defineIntegration, Refusal } from './define-integration.ts';
