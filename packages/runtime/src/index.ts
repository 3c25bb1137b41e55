export { authorizeVisitor } from './authorize.ts';
export { commitStep, commitTogether, consume, type Failures, oneByOne } from './consume.ts';
export type { ActorContext, BaseContext, Context, Handler, HandlerInput } from './context.ts';
export type { Background, Environment, Settings } from './environment.ts';
export {
  type Fetched,
  faultOfAddress,
  faultOfOutside,
  fetchOutside,
  OutsideError,
  type OutsideLimits,
  postOutside,
} from './fetch-outside.ts';
export {
  forward,
  InProcessWorker,
  type Route,
  type RouteMatch,
  RouteMatcher,
  readGatewayContext,
  requestIdHeader,
  takeCaller,
} from './forward.ts';
export { type Handlers, handlersFor, implement } from './handle-request.ts';
export { forgetIdempotencyKeys, releaseClaims } from './idempotency.ts';
export { metered, meteredService, type ServiceContext } from './metered.ts';
export {
  deleteInParts,
  type EventHandlers,
  forgetSettledEvents,
  handleEvent,
  handleTogether,
  listWaitingJobs,
  maxAttempts,
  replayJobs,
  resendFromBefore,
  sendEvents,
  settleEvent,
  sweepOutbox,
  type Taken,
  type WaitingJob,
} from './outbox.ts';
export {
  keyIn,
  presentChangeRequest,
  presentCollection,
  presentMember,
  presentOrganization,
  presentSite,
  presentSpace,
  presentToStranger,
  presentUser,
  presentVisited,
} from './present.ts';
export { defaultMaxBodyBytes, discardBody, parseStrictJson, readBytes, readForm } from './request.ts';
export {
  addCost,
  answerConstant,
  type Constant,
  type Constants,
  describe,
  errorResponse,
  gatherLog,
  hasTag,
  log,
  StreamedJson,
  serverTiming,
  tagWith,
  testKeyHeader,
  type Urls,
  urlsOf,
} from './respond.ts';
export {
  bringsVisitorToken,
  deriveBytes,
  deriveText,
  deriveTextFrom,
  Hashes,
  hashOf,
  hashOfToken,
  hexOf,
  readVisitorToken,
  seal,
  sealedBy,
  shareKeyFor,
  shareKeyOf,
  signVisitorToken,
  unseal,
} from './secrets.ts';
export { html, htmlPage, type PageContext, type ServedPage } from './serve-pages.ts';
export { decodeName, expiryFrom, readSigned, safeName, serveObject, signAddress, signingKey } from './signed-object.ts';
export { isOfSites, isOwnHost, knownSiteAddress, placeAddress, readSiteAddress, siteAddress } from './site-address.ts';
