//! A rating service on a port of its own, with a database behind it, a results service before it that
//! serves the outbox of a live state, and a presence service beside it that is told of bookings.

pub(crate) mod audit;
pub(crate) mod game;
pub(crate) mod presence;
pub(crate) mod results;

use std::sync::Arc;

use tengen_harness::Database;
use tengen_kit::auth::{Claims, Gate, Rule, ServiceSecret, ServiceTokens, Signer, Verifier};
use tengen_kit::client::{self, ServiceChannel};
use tengen_kit::server;
use tengen_kit::service::Service;
use tengen_kit::shutdown::Shutdown;
use tengen_kit::sql;
use tengen_kit::time::{SharedTime, WallTime};
use tengen_live::{Memory, Settings};
use tengen_proto::common::v1::Role;
use tengen_proto::internal::v1::presence_service_server::PresenceServiceServer;
use tengen_proto::internal::v1::results_service_server::ResultsServiceServer;
use tengen_proto::rating::v1 as wire;
use tengen_proto::rating::v1::rating_service_client::RatingServiceClient;
use tengen_rating::{Config, MIGRATIONS, Parts};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use presence::Presence;
use results::Results;

const ISSUER: &str = "test";
const AUDIENCE: &str = "tengen";

pub(crate) type BoardPage = wire::ListLeaderboardResponse;

/// Everything but the rating service, which may come and go.
pub(crate) struct World {
    pub(crate) results: Results,
    pub(crate) presence: Presence,
    pub(crate) time: SharedTime,
    pub(crate) config: Config,
    pub(crate) database: Database,
    others_url: String,
    secret: ServiceSecret,
    signer: Signer,
    _others: Server,
}

/// A rating service that runs, and a client of it.
pub(crate) struct Rating {
    pub(crate) client: RatingServiceClient<Channel>,
    _server: Server,
}

/// A server that is cut when dropped, as by a crash.
struct Server {
    url: String,
    running: JoinHandle<()>,
}

impl World {
    pub(crate) async fn new(database: Database) -> Self {
        Self::with_time(database, WallTime::shared()).await
    }

    pub(crate) async fn with_time(database: Database, time: SharedTime) -> Self {
        let results = Results::new(Memory::new(time.clone(), Settings::default()), time.clone());
        let secret = ServiceSecret::generate();
        let signer = Signer::generate();
        let gate = gate(&secret, &signer, &time);
        let presence = Presence::new(time.clone());
        let others = Service::new("others")
            .grpc(ResultsServiceServer::new(results.clone()))
            .grpc(PresenceServiceServer::new(presence.clone()));
        let others = serve(others, gate).await;
        Self {
            results,
            presence,
            time,
            config: Config::default(),
            database,
            others_url: others.url.clone(),
            secret,
            signer,
            _others: others,
        }
    }

    /// Starts a rating service over the world's database.
    pub(crate) async fn rating(&self) -> Rating {
        let parts = Parts {
            config: self.config.clone(),
            database: sql::open(self.database.url(), MIGRATIONS).await.unwrap(),
            results: self.channel(),
            sessions: self.channel(),
            time: self.time.clone(),
            shutdown: Shutdown::new(),
        };
        let service = tengen_rating::bind(parts).unwrap();
        let server = serve(service, gate(&self.secret, &self.signer, &self.time)).await;
        let channel = client::endpoint(&server.url).unwrap().connect_lazy();
        Rating { client: RatingServiceClient::new(channel), _server: server }
    }

    /// A request that carries an access token of `player_id`.
    pub(crate) fn signed<T>(&self, player_id: &str, message: T) -> Request<T> {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: player_id.to_owned(),
            iat: self.time.now_ms() / 1_000,
            exp: self.time.now_ms() / 1_000 + 60,
            roles: vec!["PLAYER".to_owned()],
            ..Claims::default()
        };
        let token = format!("Bearer {}", self.signer.sign(&claims).unwrap());
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", token.parse().unwrap());
        request
    }

    /// The way of the rating service to the others.
    fn channel(&self) -> ServiceChannel {
        let tokens = ServiceTokens::new("rating", &self.secret, self.time.clone()).unwrap();
        client::channel(&self.others_url, tokens).unwrap()
    }
}

impl Rating {
    pub(crate) async fn player(&mut self, player_id: &str) -> wire::GetPlayerResponse {
        let request = wire::GetPlayerRequest { player_id: player_id.to_owned() };
        self.client.get_player(request).await.unwrap().into_inner()
    }

    pub(crate) async fn result(&mut self, game_id: &str) -> wire::GetResultRatingResponse {
        let request = wire::GetResultRatingRequest { game_id: game_id.to_owned() };
        self.client.get_result_rating(request).await.unwrap().into_inner()
    }

    /// A page of the leaderboard.
    pub(crate) async fn board(&mut self, page_size: i32, page_token: &str) -> BoardPage {
        let request = wire::ListLeaderboardRequest {
            page_size,
            page_token: page_token.to_owned(),
            around_player_id: String::new(),
        };
        self.client.list_leaderboard(request).await.unwrap().into_inner()
    }

    /// The page of the leaderboard with a player in the middle.
    pub(crate) async fn board_around(&mut self, player_id: &str, page_size: i32) -> BoardPage {
        let request = wire::ListLeaderboardRequest {
            page_size,
            page_token: String::new(),
            around_player_id: player_id.to_owned(),
        };
        self.client.list_leaderboard(request).await.unwrap().into_inner()
    }

    /// All of a player's rows, the oldest first, read page by page.
    pub(crate) async fn ledger(&mut self, player_id: &str, page: i32) -> Vec<wire::LedgerEntry> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = wire::ListLedgerRequest {
                player_id: player_id.to_owned(),
                page_size: page,
                page_token,
            };
            let response = self.client.list_ledger(request).await.unwrap().into_inner();
            assert!(response.entries.len() <= usize::try_from(page).unwrap());
            all.extend(response.entries);
            page_token = response.next_page_token;
            if page_token.is_empty() {
                all.reverse();
                return all;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// The fields that a call was refused for.
pub(crate) fn bad_fields(status: &Status) -> Vec<String> {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "INVALID_FIELD");
    let violations = &details.bad_request().unwrap().field_violations;
    violations.iter().map(|violation| violation.field.clone()).collect()
}

fn gate(secret: &ServiceSecret, signer: &Signer, time: &SharedTime) -> Gate {
    let verifier = Verifier::new(ISSUER, AUDIENCE, time.clone()).with_services(secret).unwrap();
    verifier.set_jwks(&signer.jwks()).unwrap();
    let rules = tengen_proto::METHODS.iter().map(|method| {
        let role = Role::try_from(method.requires).unwrap();
        // Served here, whether the session service has built it or not.
        let here = method.path.contains(".PresenceService/");
        Rule::new(method.path, role.as_str_name(), if here { "" } else { method.not_built })
    });
    Gate::new(rules, Arc::new(verifier))
}

async fn serve(service: Service, gate: Gate) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let running = tokio::spawn(async move {
        let descriptors = tengen_proto::DESCRIPTORS;
        server::serve(listener, vec![service], gate, descriptors, Shutdown::new()).await.unwrap();
    });
    Server { url, running }
}
