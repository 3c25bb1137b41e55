/** Names the worker that a request to the machine's object is for; the front sets it on each request. */
export const domainHeader = 'octavo-domain';
