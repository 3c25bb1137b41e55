import { type JsonObject, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { safeAddress } from '../references.ts';
import type { OperationDrawing } from './drawn-reference.ts';
import { Prose } from './prose.tsx';
import { objectIn } from './schema.ts';
import { Section } from './section.tsx';
import { type SchemeOfSecurity, securityOf } from './security.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

/** How something is shown, in words. */
function Said({ scheme, texts }: { scheme: JsonObject; texts: ReferenceTexts }): ComponentChildren {
  const [type, name, place] = [textAt(scheme, 'type'), textAt(scheme, 'name'), textAt(scheme, 'in')];
  const kind = textAt(scheme, 'scheme')?.toLowerCase();
  if (type === 'apiKey') {
    const words = { query: texts.keyInQuery, cookie: texts.keyInCookie }[place ?? ''] ?? texts.keyInHeader;
    return (
      <>
        {words} <code>{name}</code>
      </>
    );
  }
  if (type === 'http' && (kind === 'basic' || kind === 'bearer'))
    return (
      <>
        {kind === 'basic' ? texts.basic : texts.bearer} <code>Authorization</code>
      </>
    );
  if (type === 'http')
    return (
      <>
        {texts.keyInHeader} <code>{`Authorization: ${kind ?? ''}`}</code>
      </>
    );
  if (type === 'oauth2') return 'OAuth 2.0';
  if (type === 'openIdConnect') return 'OpenID Connect';
  return type === 'mutualTLS' ? texts.certificate : (type ?? '');
}

const Address = ({ to }: { to: string | undefined }): ComponentChildren => {
  const href = safeAddress(to);
  return href === undefined || !/^https?:/i.test(href) ? null : <a href={href}>{href}</a>;
};

function Flows({ scheme }: { scheme: JsonObject }): ComponentChildren {
  const flows = Object.keys(objectIn(scheme, 'flows')).slice(0, 4);
  return flows.map((name) => {
    const flow = objectIn(objectIn(scheme, 'flows'), name);
    return (
      <li>
        <code>{name}</code> <Address to={textAt(flow, 'authorizationUrl')} /> <Address to={textAt(flow, 'tokenUrl')} />
      </li>
    );
  });
}

const maxScopes = 50;

function Scheme({ from, of: { scheme, scopes } }: { from: OperationDrawing; of: SchemeOfSecurity }): ComponentChildren {
  const { texts } = from;
  return (
    <>
      <p>
        <Said scheme={scheme} texts={texts} /> <Address to={textAt(scheme, 'openIdConnectUrl')} />
      </p>
      <Prose text={textAt(scheme, 'description')} from={from} />
      {Object.keys(objectIn(scheme, 'flows')).length > 0 && (
        <ul class="constraints">
          <Flows scheme={scheme} />
        </ul>
      )}
      {scopes.length > 0 && (
        <ul class="constraints">
          <li>
            {texts.scopes}{' '}
            {scopes.slice(0, maxScopes).map((scope) => (
              <>
                <code>{scope}</code>{' '}
              </>
            ))}
          </li>
        </ul>
      )}
    </>
  );
}

/** What a caller shows to be let in. */
export function Authentication({ from }: { from: OperationDrawing }): ComponentChildren {
  const ways = securityOf(from.document, from.part);
  if (ways.every((way) => way.length === 0)) return null;
  return (
    <Section from={from} name="authentication" title={from.texts.authentication}>
      {ways.map((way, index) => (
        <div class="way">
          {index > 0 && <p class="label">{from.texts.or}</p>}
          {way.length === 0 ? <p>{from.texts.nothing}</p> : way.map((each) => <Scheme from={from} of={each} />)}
        </div>
      ))}
    </Section>
  );
}
