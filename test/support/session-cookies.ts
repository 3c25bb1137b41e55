/** The session cookie that a response sets. */
interface SetSession {
  /** The whole header; undefined if the response sets no session cookie. */
  header: string | undefined;
  /** The cookie as the browser sends it, with its name. */
  cookie: string;
  /** The secret of the session. */
  token: string | undefined;
}

/** Reads the session cookie that a response sets. */
export function readSessionCookie({ headers }: Response): SetSession {
  const header = headers.getSetCookie().find((each) => /^(?:__Host-)?octavo_session=/.test(each));
  return { header, cookie: header?.split(';')[0] ?? '', token: header && /octavo_\w{40}/.exec(header)?.[0] };
}
