export { authorizeVisitor } from './authorize-visitor.ts';
export { answerConstant, type Constant, type Constants } from './constant.ts';
export * from './consume.ts';
export type { ActorContext, BaseContext, Context, Handler, HandlerInput } from './context.ts';
export { addCost, serverTiming, testKeyHeader } from './cost-headers.ts';
export * from './delete-in-parts.ts';
export type { Background, Environment, Settings } from './environment.ts';
export { describe, errorResponse, gatherLog, log } from './errors.ts';
export {
  type Fetched,
  faultOfAddress,
  faultOfOutside,
  fetchOutside,
  OutsideError,
  type OutsideLimits,
  postOutside,
} from './fetch-outside.ts';
export { forward, InProcessWorker, readGatewayContext, requestIdHeader, takeCaller } from './forward.ts';
export { Hashes, hashOf, hashOfToken, hexOf } from './hashes.ts';
export { forgetIdempotencyKeys, releaseClaims } from './idempotency.ts';
export * from './implement.ts';
export * from './metered.ts';
export {
  type EventHandlers,
  forgetSettledEvents,
  handleEvent,
  handleTogether,
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
  presentVisited,
} from './present.ts';
export * from './present-site.ts';
export { defaultMaxBodyBytes, discardBody, readBytes, readForm } from './request.ts';
export { hasTag, StreamedJson, tagWith, type Urls, urlsOf } from './respond.ts';
export * from './route-matcher.ts';
export { seal, sealedBy, unseal } from './sealed.ts';
export { html, htmlPage, type PageContext, type ServedPage } from './serve-pages.ts';
export {
  decodeName,
  expiryFrom,
  readSigned,
  safeName,
  serveObject,
  signAddress,
  signingKey,
} from './signed-object.ts';
export { isOfSites, isOwnHost, knownSiteAddress, placeAddress, readSiteAddress, siteAddress } from './site-address.ts';
export { parseStrictJson } from './strict-json.ts';
export {
  bringsVisitorToken,
  deriveBytes,
  deriveText,
  deriveTextFrom,
  readVisitorToken,
  shareKeyFor,
  shareKeyOf,
  signVisitorToken,
} from './visitor-token.ts';
export * from './waiting-jobs.ts';
