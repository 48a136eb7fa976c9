CREATE TABLE "events" (
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"session_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "events_user_id_seq_pk" PRIMARY KEY("user_id","seq")
);
--> statement-breakpoint
CREATE TABLE "folder_sessions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"folder_id" text NOT NULL,
	CONSTRAINT "folder_sessions_user_id_session_id_folder_id_pk" PRIMARY KEY("user_id","session_id","folder_id")
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"user_id" text NOT NULL,
	"folder_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"color" text,
	"pinned" boolean,
	"sort_order" text,
	"order" bigint,
	"created_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone,
	"last_opened_at" timestamp (3) with time zone,
	CONSTRAINT "folders_user_id_folder_id_pk" PRIMARY KEY("user_id","folder_id")
);
--> statement-breakpoint
CREATE TABLE "chunks" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"first_segment" integer NOT NULL,
	"last_segment" integer NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "chunks_user_id_session_id_ordinal_pk" PRIMARY KEY("user_id","session_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "embeddings" (
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"session_id" text NOT NULL,
	"ordinal" integer NOT NULL,
	"dimension" integer NOT NULL,
	"vector" halfvec NOT NULL,
	CONSTRAINT "embeddings_user_id_model_session_id_ordinal_pk" PRIMARY KEY("user_id","model","session_id","ordinal")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"state" text NOT NULL,
	"failure" text,
	"external_id" text,
	"title" text NOT NULL,
	"timestamp" timestamp (3) with time zone,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"duration_seconds" double precision NOT NULL,
	"type" text NOT NULL,
	"platform" text,
	"language" text,
	"summary" text,
	"notes" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"favorite" boolean DEFAULT false NOT NULL,
	"action_items" jsonb,
	"action_items_version" integer DEFAULT 0 NOT NULL,
	"action_items_updated_at" timestamp (3) with time zone,
	"phone" jsonb,
	"audio_url" text,
	"video_url" text,
	"audio_deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "transcripts" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"segments" jsonb NOT NULL,
	"speakers" jsonb NOT NULL,
	CONSTRAINT "transcripts_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_counters" (
	"token_id" text PRIMARY KEY NOT NULL,
	"minute" timestamp (0) with time zone NOT NULL,
	"minute_count" integer NOT NULL,
	"day" date NOT NULL,
	"day_count" integer NOT NULL,
	"admitted" integer NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "rate_days" (
	"token_id" text PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"day_count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_owners" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"token_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "tokens_user_id_token_id_pk" PRIMARY KEY("user_id","token_id")
);
--> statement-breakpoint
CREATE TABLE "user_counters" (
	"user_id" text PRIMARY KEY NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"session_count" integer DEFAULT 0 NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "user_emails" (
	"email" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"user_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"email" text,
	"email_verified_at" timestamp (3) with time zone,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"subscription_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_sessions" ADD CONSTRAINT "folder_sessions_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_sessions" ADD CONSTRAINT "folder_sessions_folder_fk" FOREIGN KEY ("user_id","folder_id") REFERENCES "public"."folders"("user_id","folder_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chunks" ADD CONSTRAINT "chunks_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "embeddings" ADD CONSTRAINT "embeddings_chunk_fk" FOREIGN KEY ("user_id","session_id","ordinal") REFERENCES "public"."chunks"("user_id","session_id","ordinal") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transcripts" ADD CONSTRAINT "transcripts_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_event_id" ON "events" USING btree ("user_id","event_id");--> statement-breakpoint
CREATE INDEX "folder_sessions_by_folder" ON "folder_sessions" USING btree ("user_id","folder_id");--> statement-breakpoint
CREATE UNIQUE INDEX "folders_name_key" ON "folders" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_sort_at" ON "sessions" USING btree ("user_id","sort_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_external_id" ON "sessions" USING btree ("user_id","external_id");--> statement-breakpoint
CREATE INDEX "sessions_listed" ON "sessions" USING btree ("user_id","sort_at") WHERE state = 'completed';--> statement-breakpoint
CREATE INDEX "sessions_listed_by_type" ON "sessions" USING btree ("user_id","type","sort_at") WHERE state = 'completed';