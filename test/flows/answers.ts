import {
  changeRequest,
  comment,
  commentReply,
  file,
  found,
  linkItem,
  page,
  reference,
  requestedReviewer,
  revision,
  space,
} from './content-resources.ts';
import {
  collection,
  member,
  organization,
  placeInTeam,
  samlProvider,
  team,
  translationSettings,
} from './organization-resources.ts';
import type { Shape } from './shapes.ts';
import { address, count, flags, getList, id, list, object, text } from './shapes.ts';
import { is, role } from './shared-resources.ts';

const stats = { stats: object({ total: count, broken: object({ total: count, 'changeRequest?': count }) }) };
const moved = (result: string) => object({ revision: id, result: is(result) });

/** Response shapes by their name in the table of operations. */
export const answers: Record<string, Shape> = {
  Space: space,
  Comment: comment,
  CommentReply: commentReply,
  ChangeRequest: changeRequest,
  Revision: revision,
  Page: page,
  File: file,
  Organization: organization,
  Member: member,
  Team: team,
  SamlProvider: samlProvider,
  Collection: collection,
  TranslationSettings: translationSettings,
  'List<Space>': list(space),
  'List<Comment>': list(comment),
  'List<CommentReply>': list(commentReply),
  'List<ChangeRequest>': list(changeRequest),
  'List<RequestedReviewer>': list(requestedReviewer),
  'List<File>': list(file),
  'List<ContentReference>': list(reference),
  'List<LinkItem> + stats{total,broken{total,changeRequest}}': list(linkItem, stats),
  'List<SpaceSearchResult>': list(found),
  'List<{id,title,pages[]}>': list(object({ id, title: text, pages: getList(found) })),
  'List<Organization>': list(organization),
  'List<Member>': list(member),
  'List<Team>': list(team),
  'List<{permission,space:Space}>': list(object({ permission: role, space })),
  'List<{team:Team,member{role}}>': list(object({ team, member: placeInTeam })),
  'List<{organization:Member,team{role},permissions{view}}>': list(
    object({ organization: member, team: placeInTeam, permissions: flags('view') }),
  ),
  'List<SamlProvider>': list(samlProvider),
  'List<Collection>': list(collection),
  'List<TranslationSettings>': list(translationSettings),
  '{pages:Page[]}': object({ pages: getList(page) }),
  '{revision,importedResources,totalResources}': object({
    revision: id,
    importedResources: count,
    totalResources: count,
  }),
  '{revision,result=merge}': moved('merge'),
  '{revision,result=update}': moved('update'),
  '{url}': object({ url: address }),
  '{users:RequestedReviewer[]}': object({ users: getList(requestedReviewer) }),
  '{organizations:Organization[]}': object({ organizations: getList(organization) }),
  '{serviceVisitorClaims?}': object({ 'serviceVisitorClaims?': text }),
  '{items:SsoLogin[]}': object({ items: getList(object({ id, label: text, startURL: address })) }),
};
