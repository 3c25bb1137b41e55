import {
  changeRequest,
  checkPage,
  comment,
  commentReply,
  file,
  linkItem,
  pageShape,
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
import { address, count, createObjectShape, flags, getList, id, list, text } from './shapes.ts';
import { is, role } from './shared-resources.ts';

const stats = {
  stats: createObjectShape({ total: count, broken: createObjectShape({ total: count, 'changeRequest?': count }) }),
};
const createMoveShape = (result: string) => createObjectShape({ revision: id, result: is(result) });

/** Response shapes by their name in the table of operations. */
export const shapes: Record<string, Shape> = {
  Space: space,
  Comment: comment,
  CommentReply: commentReply,
  ChangeRequest: changeRequest,
  Revision: revision,
  Page: checkPage,
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
  'List<SpaceSearchResult>': list(pageShape),
  'List<{id,title,pages[]}>': list(createObjectShape({ id, title: text, pages: getList(pageShape) })),
  'List<Organization>': list(organization),
  'List<Member>': list(member),
  'List<Team>': list(team),
  'List<{permission,space:Space}>': list(createObjectShape({ permission: role, space })),
  'List<{team:Team,member{role}}>': list(createObjectShape({ team, member: placeInTeam })),
  'List<{organization:Member,team{role},permissions{view}}>': list(
    createObjectShape({ organization: member, team: placeInTeam, permissions: flags('view') }),
  ),
  'List<SamlProvider>': list(samlProvider),
  'List<Collection>': list(collection),
  'List<TranslationSettings>': list(translationSettings),
  '{pages:Page[]}': createObjectShape({ pages: getList(checkPage) }),
  '{revision,importedResources,totalResources}': createObjectShape({
    revision: id,
    importedResources: count,
    totalResources: count,
  }),
  '{revision,result=merge}': createMoveShape('merge'),
  '{revision,result=update}': createMoveShape('update'),
  '{url}': createObjectShape({ url: address }),
  '{users:RequestedReviewer[]}': createObjectShape({ users: getList(requestedReviewer) }),
  '{organizations:Organization[]}': createObjectShape({ organizations: getList(organization) }),
  '{serviceVisitorClaims?}': createObjectShape({ 'serviceVisitorClaims?': text }),
  '{items:SsoLogin[]}': createObjectShape({
    items: getList(createObjectShape({ id, label: text, startURL: address })),
  }),
};
