/** The metadata resources, in the order in which the manifest names them. */
export const METADATA_RESOURCES = [
  'objects',
  'fields',
  'views',
  'viewFields',
  'viewFilters',
  'viewGroups',
  'viewSorts',
  'viewFilterGroups',
  'pageLayouts',
  'pageLayoutTabs',
  'pageLayoutWidgets',
  'webhooks',
] as const;
export type MetadataResource = (typeof METADATA_RESOURCES)[number];

/** Query members that a list of each resource takes, and those that it must have. */
const QUERIES: Record<MetadataResource, { takes: readonly string[]; needs?: readonly string[] }> = {
  objects: { takes: ['limit', 'starting_after', 'ending_before'] },
  fields: { takes: ['limit', 'starting_after', 'ending_before'] },
  views: { takes: ['objectMetadataId'] },
  viewFields: { takes: ['viewId'] },
  viewFilters: { takes: ['viewId'] },
  viewGroups: { takes: ['viewId'] },
  viewSorts: { takes: ['viewId'] },
  viewFilterGroups: { takes: ['viewId'] },
  pageLayouts: { takes: ['objectMetadataId', 'pageLayoutType'] },
  pageLayoutTabs: { takes: ['pageLayoutId'], needs: ['pageLayoutId'] },
  pageLayoutWidgets: { takes: ['pageLayoutTabId'], needs: ['pageLayoutTabId'] },
  webhooks: { takes: [] },
};
const PAGE_LAYOUT_TYPES = ['RECORD_INDEX', 'RECORD_PAGE', 'DASHBOARD', 'STANDALONE_PAGE'];
const MAX_VALUE_BYTES = 32_768;

/** The query string of a list, or what is wrong with its members. */
export function metadataQuery(
  resource: MetadataResource,
  query: Readonly<Record<string, unknown>> = {},
): string | { problem: string } {
  const { takes, needs = [] } = QUERIES[resource];
  const unknown = Object.keys(query).find((name) => !takes.includes(name));
  if (unknown !== undefined)
    return { problem: `${resource} takes no query member ${unknown}; it takes ${takes.join(', ') || 'none'}` };
  const missing = needs.find((name) => query[name] === undefined);
  if (missing !== undefined) return { problem: `${resource} needs the query member ${missing}` };
  const { pageLayoutType } = query;
  if (pageLayoutType !== undefined) {
    if (!PAGE_LAYOUT_TYPES.includes(String(pageLayoutType)))
      return { problem: `pageLayoutType must be one of ${PAGE_LAYOUT_TYPES.join(', ')}` };
    if (query.objectMetadataId === undefined) return { problem: 'pageLayoutType needs objectMetadataId' };
  }
  const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const long = entries.find(([, value]) => Buffer.byteLength(value) > MAX_VALUE_BYTES);
  if (long) return { problem: `the query member ${long[0]} is longer than ${MAX_VALUE_BYTES} bytes` };
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
