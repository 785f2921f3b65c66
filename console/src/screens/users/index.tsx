import { useRoute } from "wouter";
import { UserList } from "./user-list.tsx";
import { UserPage } from "./user-page.tsx";

/** Lists the people of this gateway, and shows one with role, time zone, channels and keys. */
export default function UsersScreen() {
  const [one, params] = useRoute("/users/:id");
  return one ? <UserPage key={params.id} id={decodeURIComponent(params.id)} /> : <UserList />;
}
