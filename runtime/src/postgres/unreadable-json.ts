/**
 * The condition under which the database's functions read no member of the JSON in `expression`: it holds an escaped zero character, or half
 * a pair, which the type `json` stores as it came. A statement about several rows asks this before it reads a member, since it would fail for
 * all of them.
 */
export function unreadableJson(expression: string): string {
  return `(strpos(${expression}::text, '\\u0000') > 0 OR strpos(${expression}::text, '\\ud') > 0)`;
}

/** The text of an object that has this member of a document, null where the document lacks it; the whole document where no member can be read. */
export function objectWith(expression: string, member: string): string {
  return `CASE WHEN ${unreadableJson(expression)} THEN ${expression}::text
    ELSE json_build_object('${member}', ${expression} -> '${member}')::text END`;
}
