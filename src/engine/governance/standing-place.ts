/** The place of a standing rule in decisions; an agent's own rule with the same id has another place. */
export function standingPlace(id: string): string {
  return `rule ${id}`;
}
