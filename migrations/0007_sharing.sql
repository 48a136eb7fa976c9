CREATE TABLE "session_shares" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"summary" boolean DEFAULT true NOT NULL,
	"transcript" boolean DEFAULT true NOT NULL,
	"audio" boolean DEFAULT true NOT NULL,
	"action_items" boolean DEFAULT true NOT NULL,
	"removals" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "session_shares_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "share_counters" (
	"user_id" text PRIMARY KEY NOT NULL,
	"minute" timestamp (0) with time zone NOT NULL,
	"writes" integer NOT NULL,
	"day" date NOT NULL,
	"invites" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "share_grants" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"recipient_id" text NOT NULL,
	"sources" text[] NOT NULL,
	"shared_at" timestamp (3) with time zone NOT NULL,
	"active" boolean NOT NULL,
	"removal" integer,
	CONSTRAINT "share_grants_user_id_session_id_recipient_id_pk" PRIMARY KEY("user_id","session_id","recipient_id")
);
--> statement-breakpoint
CREATE TABLE "share_invites" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"email" text NOT NULL,
	"invite_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"message" text NOT NULL,
	"removals" integer NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"last_sent_at" timestamp (3) with time zone NOT NULL,
	"send_count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"claimed_by" text,
	CONSTRAINT "share_invites_user_id_session_id_email_pk" PRIMARY KEY("user_id","session_id","email")
);
--> statement-breakpoint
CREATE TABLE "share_links" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"removals" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "share_links_user_id_session_id_hash_pk" PRIMARY KEY("user_id","session_id","hash")
);
--> statement-breakpoint
CREATE TABLE "share_secrets" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"kind" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared_with" (
	"recipient_id" text NOT NULL,
	"session_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"shared_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "shared_with_recipient_id_session_id_owner_id_pk" PRIMARY KEY("recipient_id","session_id","owner_id")
);
--> statement-breakpoint
ALTER TABLE "session_shares" ADD CONSTRAINT "session_shares_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_counters" ADD CONSTRAINT "share_counters_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_grants" ADD CONSTRAINT "share_grants_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_invites" ADD CONSTRAINT "share_invites_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "share_links" ADD CONSTRAINT "share_links_share_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."session_shares"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "share_invites_invite_id" ON "share_invites" USING btree ("user_id","invite_id");--> statement-breakpoint
CREATE INDEX "share_invites_age" ON "share_invites" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "share_links_age" ON "share_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "share_secrets_session" ON "share_secrets" USING btree ("user_id","session_id");--> statement-breakpoint
CREATE INDEX "shared_with_listed" ON "shared_with" USING btree ("recipient_id","shared_at","owner_id","session_id");