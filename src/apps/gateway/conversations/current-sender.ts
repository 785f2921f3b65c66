import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { Role, User } from "../../../base/words/hosting/user.ts";

const RANK: { readonly [R in Role]: number } = { viewer: 0, user: 1, operator: 2 };

/**
 * Returns the sender with their current role, but never a higher one than the channel gave them, because the message
 * may have been queued for a while. An operator who cannot be looked up counts as a user.
 */
export async function currentSender(
  sender: Sender,
  userOf: (id: string) => Promise<User | undefined>,
): Promise<Sender> {
  if (sender.user === undefined) return sender;
  const known = await userOf(sender.user).catch(() => undefined);
  const role = known?.role ?? "user";
  return RANK[role] < RANK[sender.role] ? { ...sender, role } : sender;
}
