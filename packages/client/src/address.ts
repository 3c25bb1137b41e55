interface Parameters {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
}

/** The address of a path template with its parameters filled in; a `:name+` parameter keeps its slashes. */
export function addressOf(base: string, template: string, { params = {}, query = {} }: Parameters): string {
  const path = template.replace(/:(\w+)(\+?)/g, (_, name: string, many: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`The parameter ${name} is missing.`);
    return many ? String(value).split('/').map(encodeSegment).join('/') : encodeSegment(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  }
  return `${base.replace(/\/+$/, '')}${path}${search.size > 0 ? `?${search}` : ''}`;
}

// The URL parser resolves `.` and `..` even when they are percent-encoded, so no encoding could bring them across.
function encodeSegment(segment: string): string {
  if (segment === '.' || segment === '..') throw new TypeError(`A parameter of a path must not be ${segment}.`);
  return encodeURIComponent(segment);
}
