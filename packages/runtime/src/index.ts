export * from './consume.ts';
export type { ActorContext, BaseContext, Context, Handler, HandlerInput } from './context.ts';
export * from './delete-in-parts.ts';
export { type Background, type Environment, type Urls, urlsOf } from './environment.ts';
export { type Fetched, fetchOutside, OutsideError, type OutsideLimits } from './fetch-outside.ts';
export { forgetIdempotencyKeys, releaseClaims } from './idempotency.ts';
export * from './implement.ts';
export { defaultMaxBodyBytes, discardBody, readForm } from './input.ts';
export * from './metered.ts';
export {
  type EventHandlers,
  forgetSettledEvents,
  handleEvent,
  maxAttempts,
  resendFromBefore,
  sendEvents,
  settleEvent,
  sweepOutbox,
  type Taken,
} from './outbox.ts';
export {
  presentChangeRequest,
  presentCollection,
  presentMember,
  presentOrganization,
  presentSpace,
  presentToStranger,
  presentUser,
} from './present.ts';
export * from './respond.ts';
export { errorResponse } from './respond.ts';
export { safeName, serveObject } from './serve-object.ts';
export { html, htmlPage, type PageContext, type ServedPage, servePages } from './serve-pages.ts';
export * from './signed-address.ts';
export { callerHeader, clientAddressHeader, requestIdHeader } from './steps.ts';
export * from './waiting-jobs.ts';
